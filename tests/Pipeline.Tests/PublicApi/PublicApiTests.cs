using System.Reflection;
using Pipeline.TestKit.Files;
using PublicApiGenerator;
using Xunit;

namespace Pipeline.Tests.PublicApi;

/// <summary>
/// The file PublicApi.txt of each project lists the API that its package promises, so that reviews see any change to
/// it. To change it on purpose, run these tests with PIPELINE_ACCEPT_API=1, which writes the files, and commit them.
/// </summary>
public sealed class PublicApiTests
{
    private static readonly bool Accepts = Environment.GetEnvironmentVariable("PIPELINE_ACCEPT_API") == "1";

    public static TheoryData<string> Libraries =>
        [
            .. Projects()
                .Select(p => Path.GetFileNameWithoutExtension(p))
                .Where(n => n != "Pipeline.Tool")
                .Order(StringComparer.Ordinal),
        ];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void What_a_package_promises_changes_on_purpose_only(string library)
    {
        var file = Path.Combine(
            Path.GetDirectoryName(Projects().Single(p => Path.GetFileNameWithoutExtension(p) == library))!,
            "PublicApi.txt"
        );
        var api =
            Assembly
                .Load(library)
                .GeneratePublicApi(new ApiGeneratorOptions { IncludeAssemblyAttributes = false })
                .ReplaceLineEndings("\n")
                .TrimEnd() + "\n";
        if (Accepts)
            File.WriteAllText(file, api);
        var known = File.Exists(file) ? File.ReadAllText(file).ReplaceLineEndings("\n") : "";
        if (api == known)
            return;
        string[] before = known.Split('\n'),
            now = api.Split('\n');
        var changes = before
            .Except(now)
            .Select(l => "- " + l.Trim())
            .Concat(now.Except(before).Select(l => "+ " + l.Trim()));
        Assert.Fail(
            $"The public API of {library} is not that of {RepositoryTree.Relative(file)}. If it changed on purpose, run this test with PIPELINE_ACCEPT_API=1 and commit the file.\n{string.Join('\n', changes.Take(40))}"
        );
    }

    [Fact]
    public void Every_package_has_a_description_and_a_page_of_its_own()
    {
        foreach (var project in Projects())
        {
            Assert.Contains("<Description>", File.ReadAllText(project), StringComparison.Ordinal);
            Assert.StartsWith(
                "# " + Path.GetFileNameWithoutExtension(project),
                File.ReadAllText(Path.Combine(Path.GetDirectoryName(project)!, "PACKAGE.md")),
                StringComparison.Ordinal
            );
            Assert.StartsWith("Pipeline.", Path.GetFileName(project), StringComparison.Ordinal);
        }
    }

    /// <summary>The projects that become packages.</summary>
    private static IEnumerable<string> Projects() =>
        RepositoryTree
            .Files(".csproj")
            .Where(f =>
                RepositoryTree.Relative(f).Split('/')[0] is not ("tests" or "samples" or "templates")
                && !File.ReadAllText(f).Contains("<IsPackable>false", StringComparison.Ordinal)
            );
}
