using System.Text.Json;
using Pipeline.TestKit.Files;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Diagnosis;
using Pipeline.Worker.Terminal;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// <c>pipeline doctor</c>: each risk is found with its place, and a sound file on a sound machine has none.
/// </summary>
public sealed class DoctorCommandTests : IDisposable
{
    private const string Backups =
        "backups: [{ name: b, to: { s3: { bucket: b, region: eu-central-1 } }, encryption: { keyVariable: BACKUP_KEY }, full: '0 0 3 * * ?', drill: '0 0 5 ? * MON', retention: { keep: 3 } }]\n";
    private const string Encrypted = "database: { name: a, path: ./data, encryption: { keyFile: ./key } }\n",
        Plain = "database: { name: a, path: ./data }\n";
    private readonly TestFolder _folder = new();
    private readonly Machine _machine = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_sound_file_on_a_sound_machine_has_no_findings()
    {
        (var code, var output) = await RunAsync(
            Encrypted + "server: { url: http://127.0.0.1:8080, createsDatabases: false }\n" + Backups
        );
        Assert.EndsWith(": no risks found\n", output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, code);
    }

    [Theory]
    [InlineData(
        "tls",
        "pipeline.yaml:3:16: server.url",
        Plain + "server: { url: http://0.0.0.0:8080, allowInsecure: true }\n" + Backups
    )]
    [InlineData(
        "open",
        "pipeline.yaml:3:52: server.allowInsecure",
        Plain + "server: { url: http://0.0.0.0:8080, allowInsecure: true }\n" + Backups
    )]
    [InlineData(
        "keyBesideData",
        "pipeline.yaml:2:59: database.encryption.keyFile",
        "database: { name: a, path: ./data, encryption: { keyFile: data/key } }\n" + Backups
    )]
    [InlineData("noBackup", "backups", Plain)]
    [InlineData(
        "unscheduledBackup",
        "pipeline.yaml:3:11: backups[0]",
        Plain + "backups: [{ name: b, to: { folder: /other/b }, drill: '0 0 5 ? * MON', retention: { keep: 3 } }]\n"
    )]
    [InlineData(
        "noDrill",
        "pipeline.yaml:3:11: backups[0]",
        Plain + "backups: [{ name: b, to: { folder: /other/b }, full: '0 0 3 * * ?', retention: { keep: 3 } }]\n"
    )]
    [InlineData(
        "backupRetention",
        "pipeline.yaml:3:11: backups[0].retention",
        Plain + "backups: [{ name: b, to: { folder: /other/b }, full: '0 0 3 * * ?', drill: '0 0 5 ? * MON' }]\n"
    )]
    [InlineData(
        "sameDisk",
        "pipeline.yaml:3:26: backups[0].to",
        Plain
            + "backups: [{ name: b, to: { folder: ./b }, full: '0 0 3 * * ?', drill: '0 0 5 ? * MON', retention: { keep: 3 } }]\n"
    )]
    [InlineData(
        "plainBackup",
        "backups[0].plain",
        Encrypted
            + "backups: [{ name: b, to: { folder: /other/b }, plain: true, full: '0 0 3 * * ?', drill: '0 0 5 ? * MON', retention: { keep: 3 } }]\n"
    )]
    [InlineData(
        "retention",
        "database.revisions.default",
        "database: { name: a, path: ./data, revisions: { default: { enabled: true } } }\n" + Backups
    )]
    [InlineData(
        "retention",
        "database.revisions.collections.As",
        "database: { name: a, path: ./data, revisions: { collections: { As: { purgeOnDelete: true } } } }\n" + Backups
    )]
    public async Task A_risky_setting_is_found_at_its_place(string check, string place, string text)
    {
        (var code, var output) = await RunAsync(text);
        Assert.Equal(ExitCodes.Failed, code);
        var line = Assert.Single(output.Split('\n'), l => l.EndsWith($"[{check}]", StringComparison.Ordinal));
        Assert.Contains(place + ": ", line, StringComparison.Ordinal);
        Assert.Contains(" To fix it, ", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("swap")]
    [InlineData("coreDumps")]
    [InlineData("keyMode")]
    [InlineData("modes")]
    [InlineData("fileMode")]
    [InlineData("clock")]
    [InlineData("openFiles")]
    [InlineData("mappings")]
    public async Task A_risky_machine_is_found(string check)
    {
        _machine.Risk = check;
        (var code, var output) = await RunAsync(
            Encrypted + "server: { createsDatabases: false }\n" + Backups,
            "--json"
        );
        Assert.Equal(ExitCodes.Failed, code);
        using var found = JsonDocument.Parse(output);
        Assert.Equal(check, Assert.Single(found.RootElement.EnumerateArray()).GetProperty("check").GetString());
    }

    [Fact]
    public async Task The_machine_that_this_runs_on_answers()
    {
        var machine = new ThisMachine();
        Assert.Null(machine.ModeOf("/no/such/file"));
        Assert.Empty(machine.List("/no/such/folder"));
        if (!OperatingSystem.IsLinux())
            return;
        Assert.True(machine.Limit("Max open files") > 100);
        Assert.True(machine.Kernel("vm/max_map_count") > 100);
        // A root that was changed (chroot) is no mount.
        if (File.ReadLines("/proc/mounts").Any(l => l.Split(' ')[1] == "/"))
            Assert.NotNull(machine.MountOf(_folder.Path));
        Assert.NotNull(machine.HasSwap);
        (var code, _) = await RunAsync(Plain, isReal: true);
        Assert.Equal(ExitCodes.Failed, code);
    }

    private async Task<(int Code, string Out)> RunAsync(string text, string? more = null, bool isReal = false)
    {
        _folder.Write("key", Convert.ToBase64String(new byte[32]));
        var file = _folder.Write("pipeline.yaml", "version: 1\n" + text);
        var (output, error) = (new StringWriter { NewLine = "\n" }, new StringWriter());
        using var stream = new MemoryStream();
        var code = await new PipelineCommandLine(
            new WorkerConsole(output, error, stream),
            TimeProvider.System,
            isReal ? null : _machine
        ).InvokeAsync(["doctor", "--config", file, .. more is null ? Array.Empty<string>() : [more]], default);
        Assert.Equal("", error.ToString());
        return (code, output.ToString());
    }

    /// <summary>Sound but for one risk.</summary>
    private sealed class Machine : IMachine
    {
        public string Risk { get; set; } = "";

        public bool? HasSwap => Risk == "swap";

        public UnixFileMode? ModeOf(string path) =>
            Path.GetFileName(path) switch
            {
                "key" when Risk == "keyMode" => UnixFileMode.UserRead | UnixFileMode.GroupRead,
                "data" when Risk == "modes" => UnixFileMode.UserRead | UnixFileMode.OtherExecute,
                "pipeline.yaml" when Risk == "fileMode" => UnixFileMode.UserRead | UnixFileMode.OtherWrite,
                _ => UnixFileMode.UserRead,
            };

        public IReadOnlyList<string> List(string folder) => [];

        public DateTimeOffset? WrittenAt(string path) =>
            Risk == "clock" ? DateTimeOffset.MaxValue : DateTimeOffset.UnixEpoch;

        public string? MountOf(string path) => path.StartsWith("/other", StringComparison.Ordinal) ? "/other" : "/";

        public long? Limit(string name) =>
            name == "Max open files"
                ? Risk == "openFiles"
                    ? 1024
                    : long.MaxValue
                : Risk == "coreDumps"
                    ? long.MaxValue
                    : 0;

        public long? Kernel(string name) => Risk == "mappings" ? 1000 : 1 << 20;

        public string? Variable(string name) => null;
    }
}
