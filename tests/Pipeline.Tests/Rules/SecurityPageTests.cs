using System.Globalization;
using System.Text.RegularExpressions;
using Pipeline.Configuration;
using Pipeline.Database.Indexes;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>
/// The limits on SECURITY.md are those of the code, and each test that the security pages name exists.
/// </summary>
public sealed partial class SecurityPageTests
{
    private static readonly object[] Options =
    [
        new ServerLimits(),
        new IndexingOptions(),
        new IndexingConfiguration(),
        new StorageOptions(),
        new SubscriptionHostOptions(),
    ];

    [Fact]
    public void Limits_are_those_of_the_code()
    {
        string[][] rows =
        [
            .. File.ReadAllLines(Path.Combine(RepositoryTree.Root, "SECURITY.md"))
                .Where(l => l.StartsWith("| `", StringComparison.Ordinal) && l.Contains('.', StringComparison.Ordinal))
                .Select(l => l.Split('|', StringSplitOptions.TrimEntries))
                .Where(r =>
                    r[1].Split('.').Length == 2 && !r[1].Contains(' ', StringComparison.Ordinal) && r.Length == 5
                ),
        ];
        Assert.True(rows.Length >= 15);
        foreach (var row in rows)
        {
            var name = row[1].Trim('`').Split('.');
            var options = Assert.Single(Options, o => o.GetType().Name == name[0]);
            var value = options.GetType().GetProperty(name[1])?.GetValue(options);
            Assert.True(value is not null, $"{row[1]} is no setting");
            Assert.Equal(Convert.ToString(value, CultureInfo.InvariantCulture), row[2]);
        }
    }

    [Fact]
    public void Each_point_names_tests_that_exist()
    {
        var page = File.ReadAllText(Path.Combine(RepositoryTree.Root, "docs/internals/security.md"));
        var rows = page.Split('\n').Where(l => l.StartsWith("| ", StringComparison.Ordinal)).ToList();
        for (var point = 1; point <= 13; point++)
            Assert.Contains(rows, r => r.StartsWith($"| {point} ", StringComparison.Ordinal) && Named().IsMatch(r));
        foreach (var named in Named().Matches(page).ToLookup(m => m.Groups[1].Value, m => m.Groups[2].Value))
        {
            var areCrashTests = named.Key == "C";
            var tests = string.Join('\n', TestSources(areCrashTests).Select(File.ReadAllText));
            Assert.All(
                named.Distinct(),
                name =>
                    Assert.True(
                        Regex.IsMatch(tests, $@"(class|Task|void) \w*{name}"),
                        $"docs/internals/security.md names '{name}', and no {(areCrashTests ? "crash " : "")}test is called so"
                    )
            );
        }
    }

    private static IEnumerable<string> TestSources(bool areCrashTests) =>
        RepositoryTree
            .Files(".cs", "tests")
            .Where(f =>
                areCrashTests
                == RepositoryTree.Relative(f).StartsWith("tests/Pipeline.CrashTests/", StringComparison.Ordinal)
            );

    [GeneratedRegex("`([UC]):([A-Za-z_0-9]+)`")]
    private static partial Regex Named();
}
