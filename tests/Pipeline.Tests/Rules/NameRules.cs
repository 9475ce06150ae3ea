using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>A name means one thing in the whole product.</summary>
public sealed partial class NameRules
{
    /// <summary>Names that two projects share on purpose.</summary>
    private static readonly Dictionary<string, string> Shared = new(StringComparer.Ordinal)
    {
        ["BulkInsertException"] = "the client's mirrors the engine's",
        ["ConcurrencyException"] = "the client's mirrors the engine's",
        ["QueryException"] = "the client's mirrors the engine's",
        ["SubscriptionBatch"] = "the client's mirrors the engine's",
        ["SubscriptionException"] = "the client's mirrors the engine's",
        ["SubscriptionItem"] = "the client's mirrors the engine's",
        ["SubscriptionProblem"] = "the client's mirrors the engine's",
        ["PipelineConfiguration"] = "Testcontainers calls a container's settings so",
    };

    [Fact]
    public void No_two_projects_have_a_type_of_one_name()
    {
        var types = RepositoryTree
            .Files(".cs")
            .Select(f => (Path: RepositoryTree.Relative(f).Split('/'), Text: File.ReadAllText(f)))
            .Where(f => f.Path[0] is not ("tests" or "samples" or "templates"))
            .SelectMany(f => Declaration().Matches(f.Text).Select(m => (Project: f.Path[1], Name: m.Groups[1].Value)))
            .Distinct()
            .ToList();
        Assert.True(types.Count > 1000, $"only {types.Count} types were found");

        var doubled = types
            .GroupBy(t => t.Name, StringComparer.Ordinal)
            .Where(g => g.Count() > 1)
            .ToDictionary(g => g.Key, g => string.Join(", ", g.Select(t => t.Project)), StringComparer.Ordinal);

        Assert.Equal([], doubled.Where(d => !Shared.ContainsKey(d.Key)).Select(d => $"{d.Key}: {d.Value}"));
        Assert.Equal([], Shared.Keys.Where(n => !doubled.ContainsKey(n)));
    }

    /// <summary>The namespaces of the folders below a project may be left out, from the end.</summary>
    [Fact]
    public void A_namespace_is_that_of_its_folder_or_of_one_above()
    {
        var seen = 0;
        var wrong = new List<string>();
        foreach (var project in RepositoryTree.Files(".csproj"))
        {
            var root = Path.GetDirectoryName(project)!;
            if (RepositoryTree.Relative(project).Split('/')[0] is "samples" or "templates")
                continue;
            var name = Path.GetFileNameWithoutExtension(project);
            foreach (var file in RepositoryTree.Files(".cs", RepositoryTree.Relative(root)))
            {
                var used = Namespace().Match(File.ReadAllText(file)).Groups[1].Value;
                var folder = Path.GetRelativePath(root, Path.GetDirectoryName(file)!)
                    .Replace(Path.DirectorySeparatorChar, '.');
                var expected = folder == "." ? name : $"{name}.{folder}";
                seen++;
                if (used.Length > 0 && !$"{expected}.".StartsWith(used + ".", StringComparison.Ordinal))
                    wrong.Add($"{RepositoryTree.Relative(file)}: {used}");
            }
        }
        Assert.True(seen > 2000, $"only {seen} files were found");
        Assert.Equal([], wrong);
    }

    [GeneratedRegex(@"^namespace ([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Namespace();

    [GeneratedRegex(
        @"^(?:public|internal) (?:(?:static|sealed|abstract|readonly|partial|unsafe|ref) )*(?:class|record struct|record|struct|interface|enum) (\w+)",
        RegexOptions.Multiline
    )]
    private static partial Regex Declaration();
}
