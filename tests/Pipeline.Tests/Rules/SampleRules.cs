using System.Text.RegularExpressions;
using System.Xml.Linq;
using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>A reader copies a sample, runs it, and finds in its data everything that its README names.</summary>
public sealed partial class SampleRules : IDisposable
{
    private readonly string _copy = Directory.CreateTempSubdirectory("pipeline-sample-").FullName;

    public void Dispose() => Directory.Delete(_copy, recursive: true);

    [Fact]
    public async Task The_function_needs_nothing_outside_of_its_folder()
    {
        foreach (var file in Files("samples/AzureFunction"))
        {
            var to = Path.Combine(
                _copy,
                Path.GetRelativePath(Path.Combine(RepositoryTree.Root, "samples/AzureFunction"), file)
            );
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.Copy(file, to);
        }

        // The copied configuration, with files in place of queues, sends what its data holds.
        var yaml = Path.Combine(_copy, "pipeline.yaml");
        var text = await File.ReadAllTextAsync(yaml);
        Assert.Empty(PipelineConfiguration.Lint(yaml, FixedVariables.None));
        await File.WriteAllTextAsync(yaml, AzureConnection().Replace(text, "files: { directory: ./out }"));
        await using (var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = yaml }))
        {
            Assert.Equal(25, (await worker.RunOnceAsync()).Tasks.Single().Messages);
        }

        // The copied project says all of itself: no file above it does.
        var project = XDocument.Load(Directory.GetFiles(Path.Combine(_copy, "csharp"), "*.csproj").Single());
        Assert.NotEmpty(project.Descendants("TargetFramework"));
        Assert.Empty(project.Descendants("ProjectReference"));
        Assert.All(project.Descendants("PackageReference"), p => Assert.NotNull(p.Attribute("Version")));
        Assert.DoesNotContain(project.Descendants(), e => e.Attribute("Condition") is not null);
    }

    [Fact]
    public void Documents_that_a_README_names_are_in_the_samples_data()
    {
        var all = Ids(File.ReadAllText(Path.Combine(RepositoryTree.Root, "samples/Quickstart/northwind.jsonl")));
        var own = Ids(File.ReadAllText(Path.Combine(RepositoryTree.Root, "samples/AzureFunction/orders.jsonl")));
        foreach (var (readme, known) in new[] { ("README.md", all), ("samples/AzureFunction/README.md", own) })
        {
            var named = NamedId()
                .Matches(File.ReadAllText(Path.Combine(RepositoryTree.Root, readme)))
                .Select(m => m.Value)
                .ToList();
            Assert.NotEmpty(named);
            Assert.All(named, id => Assert.Contains(id, known));
        }
    }

    [Fact]
    public void What_a_sample_writes_is_not_offered_to_version_control()
    {
        var ignored = File.ReadAllLines(Path.Combine(RepositoryTree.Root, ".gitignore"));
        var written = Files("samples")
            .Where(f => Path.GetFileName(f) == "pipeline.yaml")
            .SelectMany(f => WrittenFolder().Matches(File.ReadAllText(f)).Select(m => m.Groups[1].Value))
            .ToHashSet();
        Assert.Equal(["data", "out"], written.Order());
        Assert.All(written, folder => Assert.Contains($"samples/*/{folder}/", ignored));

        // The folder that is copied out takes its list along.
        Assert.Contains(
            "data/",
            File.ReadAllLines(Path.Combine(RepositoryTree.Root, "samples/AzureFunction/.gitignore"))
        );
    }

    [Fact]
    public void The_Quickstart_compiles_what_the_runner_is_made_of()
    {
        var projects = new Dictionary<string, XDocument>();
        Add(Path.Combine(RepositoryTree.Root, "worker/Pipeline.Runner/Pipeline.Runner.csproj"));
        var whole = XDocument.Load(Path.Combine(RepositoryTree.Root, "samples/OneAssembly.targets"));

        Assert.Equal(
            projects.Keys.Select(p => $"$(MSBuildThisFileDirectory)../{RepositoryTree.Relative(p)}/**/*.cs").Order(),
            Included(whole, "Compile").Order()
        );
        Assert.Equal(
            projects.Values.SelectMany(p => Included(p, "PackageReference")).Distinct().Order(),
            Included(whole, "PackageReference").Order()
        );
        Assert.Equal(
            projects
                .SelectMany(p => Included(p.Value, "EmbeddedResource").Select(r => $"{p.Key}/{r}"))
                .Select(r => $"$(MSBuildThisFileDirectory)../{RepositoryTree.Relative(r)}"),
            Included(whole, "EmbeddedResource")
        );

        void Add(string file)
        {
            var folder = Path.GetDirectoryName(file)!;
            if (projects.ContainsKey(folder))
                return;
            var project = projects[folder] = XDocument.Load(file);
            foreach (
                var reference in project
                    .Descendants("ProjectReference")
                    .Where(r => r.Attribute("ReferenceOutputAssembly") is null)
            )
            {
                Add(Path.GetFullPath((string)reference.Attribute("Include")!, folder));
            }
        }

        static IEnumerable<string> Included(XDocument project, string item) =>
            project.Descendants(item).Select(i => (string)i.Attribute("Include")!);
    }

    private static IEnumerable<string> Files(string folder) => RepositoryTree.Files("", folder);

    private static HashSet<string> Ids(string lines) => [.. DocumentId().Matches(lines).Select(m => m.Groups[1].Value)];

    [GeneratedRegex("\"@id\": ?\"([^\"]+)\"")]
    private static partial Regex DocumentId();

    [GeneratedRegex("""\borders/[0-9][\w-]*""")]
    private static partial Regex NamedId();

    [GeneratedRegex("""(?:path|directory): \./(\w+)""")]
    private static partial Regex WrittenFolder();

    [GeneratedRegex("""azureQueues:\s+connectionString:[^\n]+\s+encoding: base64\s+oversize: claim-check""")]
    private static partial Regex AzureConnection();
}
