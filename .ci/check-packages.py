"""Checks that every package in a folder is as one would publish it. Prints each fault; exit code 1 where there is one."""
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as xml
import zipfile

feed = pathlib.Path(sys.argv[1])
faults = []
packages = sorted(feed.glob("*.nupkg"))
expected = {"Pipeline.Akka.Persistence", "Pipeline.Akka.Sharding", "Pipeline.AzureStorage", "Pipeline.Backups", "Pipeline.Client", "Pipeline.Cluster", "Pipeline.KafkaLog", "Pipeline.Client.Embedded", "Pipeline.Configuration", "Pipeline.Database", "Pipeline.Documents", "Pipeline.Etl", "Pipeline.Hosting", "Pipeline.Indexing",
            "Pipeline.JavaScript", "Pipeline.Json", "Pipeline.Scripting", "Pipeline.Runner", "Pipeline.Server", "Pipeline.Storage",
            "Pipeline.Subscriptions", "Pipeline.Templates", "Pipeline.Testcontainers", "Pipeline.Testing", "Pipeline.Tool", "Pipeline.Worker", "Pipeline.Yaml"}
seen = set()
for package in packages:
    with zipfile.ZipFile(package) as content:
        names = set(content.namelist())
        # 0x14C is what any system loads; machine code of Linux makes it a format that Windows refuses.
        machines = {n: struct.unpack_from("<H", content.read(n), struct.unpack_from("<I", content.read(n), 0x3C)[0] + 4)[0]
                    for n in names if re.fullmatch(r"(.*/)?Pipeline\.[A-Za-z.]+\.dll", n)}
        nuspec = xml.fromstring(content.read(next(n for n in names if n.endswith(".nuspec"))))
    space = re.match(r"{.*}", nuspec.tag)[0]
    metadata = nuspec.find(space + "metadata")
    text = lambda name: (metadata.findtext(space + name) or "").strip()
    identity, version = text("id"), text("version")
    seen.add(identity)
    complain = lambda words: faults.append(f"{package.name}: {words}")
    if package.name != f"{identity}.{version}.nupkg":
        complain(f"its file name is not that of {identity} {version}")
    for name, machine in machines.items():
        if machine != 0x14C:
            complain(f"{name} is of one system only (machine {machine:#x})")
    if len(text("description")) < 40 or text("description") == "Package Description":
        complain("it has no description")
    if text("license") != "MIT":
        complain("it has no licence")
    for kind, name in (("readme", "README.md"), ("icon", "icon.png")):
        if text(kind) != name or name not in names:
            complain(f"it has no {kind}")
    repository = metadata.find(space + "repository")
    if repository is None or not repository.get("commit"):
        complain("it does not name the commit that it is made of")
    code = identity not in ("Pipeline.Tool", "Pipeline.Templates")
    if code and not any(n.startswith("lib/") and n.endswith(f"/{identity}.dll") for n in names):
        complain(f"it holds no {identity}.dll")
    if code and not any(n.endswith(f"/{identity}.xml") for n in names):
        complain("it holds no documentation of its members")
    if identity == "Pipeline.Client" and "analyzers/dotnet/cs/Pipeline.Client.Analyzers.dll" not in names:
        complain("it holds no analyzers")
    symbols = package.with_suffix(".snupkg")
    if identity == "Pipeline.Templates":
        if not any(n.endswith("/.template.config/template.json") for n in names):
            complain("it holds no template")
    elif not symbols.exists() or not any(n.endswith(".pdb") for n in zipfile.ZipFile(symbols).namelist()):
        complain("it has no symbols")
    least = {"Pipeline.Storage": {"Microsoft.Extensions.Logging.Abstractions"}, "Pipeline.Client": set()}
    if identity in least:
        needs = {d.get("id") for d in metadata.iter(space + "dependency")}
        if needs != least[identity]:
            complain(f"it needs {', '.join(sorted(needs))}")
faults += [f"{name} was not packed" for name in sorted(expected - seen)] + [f"{name} is no package that is known" for name in sorted(seen - expected)]
print("\n".join(faults) if faults else f"packages: {len(packages)} are as they would be published")
sys.exit(1 if faults else 0)
