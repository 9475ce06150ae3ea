using Pipeline.TestKit.Files;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Tests.Rules;

/// <summary>
/// Folders of a project use only folders below them. What each uses is read from the code, and printed.
/// </summary>
public sealed class FolderRules(ITestOutputHelper output)
{
    public static TheoryData<string> Projects()
    {
        var projects = new TheoryData<string>();
        foreach (var file in ShippedProjects())
            projects.Add(file);
        return projects;
    }

    private static IEnumerable<string> ShippedProjects() =>
        RepositoryTree
            .Files(".csproj")
            .Select(RepositoryTree.Relative)
            .Where(file => file.Split('/')[0] is not ("tests" or "samples" or "templates"))
            .Order(StringComparer.Ordinal);

    [Theory]
    [MemberData(nameof(Projects))]
    public void Folders_of_a_project_form_no_cycle(string projectFile)
    {
        var graph = FolderGraph.Read(Path.Combine(RepositoryTree.Root, projectFile));
        output.WriteLine(graph.Describe());
        Assert.True(
            graph.Names.Unknown * 50 <= graph.Names.Known,
            $"the compiler does not know {graph.Names.Unknown} of the names in {projectFile}; the graph would miss arrows"
        );

        Assert.True(graph.Cycles().Count == 0, graph.Describe());
    }

    [Fact]
    public void A_planted_cycle_is_found_with_the_names_that_tie_it()
    {
        var graph = FolderGraph.Read(
            "Planted",
            [
                ("Top.cs", "namespace P { class Top { Low.A a = new(); } }"),
                ("Low/A.cs", "namespace P.Low { class A { public int Size() => new High.B().Count; } }"),
                ("High/B.cs", "namespace P.High { partial class B { public int Count; Low.A a; } }"),
                ("Side/C.cs", "namespace P.Side { class C { } }"),
            ]
        );

        Assert.Equal([".", "High", "Low", "Side"], graph.Folders);
        Assert.Equal(
            [
                ["High", "Low"],
            ],
            graph.Cycles()
        );
        Assert.Contains("Low/A.cs uses B.Count of High/B.cs", graph.Describe(), StringComparison.Ordinal);
        Assert.Contains("High/B.cs uses A of Low/A.cs", graph.Describe(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_part_of_a_class_counts_for_its_own_folder_and_what_is_inferred_counts_too()
    {
        var graph = FolderGraph.Read(
            "Planted",
            [
                ("Base/T.cs", "namespace P { partial class T { public int Own() => 1; } }"),
                (
                    "Feature/T.Feature.cs",
                    "namespace P { partial class T { public F Make() => new F { Size = Own() }; } class F { public int Size; } }"
                ),
                ("User/U.cs", "namespace P { class U { int Of(T t) { var made = t.Make(); return made.Size; } } }"),
            ]
        );

        Assert.Empty(graph.Cycles());
        var text = graph.Describe();
        Assert.Contains("Feature -> Base\n", text.ReplaceLineEndings("\n"), StringComparison.Ordinal);
        Assert.Contains("User -> Base, Feature\n", text.ReplaceLineEndings("\n"), StringComparison.Ordinal);
    }
}
