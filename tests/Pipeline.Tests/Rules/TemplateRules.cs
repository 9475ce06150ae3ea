using System.Text.Json;
using System.Xml.Linq;
using Pipeline.TestKit.Files;
using Pipeline.Worker;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>
/// What <c>dotnet new</c> makes has no faults and takes the packages of this version; .ci/packages builds and runs it.
/// </summary>
public sealed class TemplateRules
{
    private const string Content = "templates/Pipeline.Templates/content";

    public static TheoryData<string> Templates =>
        [
            .. Directory
                .GetDirectories(Path.Combine(RepositoryTree.Root, Content))
                .Select(f => Path.GetFileName(f)!)
                .Order(StringComparer.Ordinal),
        ];

    [Theory]
    [MemberData(nameof(Templates))]
    public async Task Its_configuration_has_no_faults_and_its_cases_pass(string template)
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            await File.ReadAllTextAsync(Path.Combine(RepositoryTree.Root, Content, template, "pipeline.yaml"))
        );
        foreach (var command in new[] { "lint", "test" })
        {
            var run = await WorkerRun.InvokeAsync(command, file);
            Assert.True(run.ExitCode == ExitCodes.Success, run.Error + run.Out);
        }
    }

    [Theory]
    [MemberData(nameof(Templates))]
    public void Its_packages_are_of_this_version_and_its_name_is_that_of_its_folder(string template)
    {
        var folder = Path.Combine(RepositoryTree.Root, Content, template);
        var version = XDocument
            .Load(Path.Combine(RepositoryTree.Root, "Directory.Build.props"))
            .Descendants("VersionPrefix")
            .Single()
            .Value;
        var project = Directory.GetFiles(folder, "*.csproj").Single();
        var ours = XDocument
            .Load(project)
            .Descendants("PackageReference")
            .Where(p => ((string)p.Attribute("Include")!).StartsWith("Pipeline.", StringComparison.Ordinal))
            .ToList();
        Assert.NotEmpty(ours);
        Assert.All(ours, p => Assert.Equal(version, (string?)p.Attribute("Version")));
        using var settings = JsonDocument.Parse(
            File.ReadAllText(Path.Combine(folder, ".template.config/template.json"))
        );
        Assert.Equal(template, settings.RootElement.GetProperty("shortName").GetString());
        Assert.Equal(
            Path.GetFileNameWithoutExtension(project),
            settings.RootElement.GetProperty("sourceName").GetString()
        );
    }
}
