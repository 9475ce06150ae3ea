using System.Globalization;
using Pipeline.Configuration;
using Pipeline.Database.Indexes;
using Pipeline.Server.Hosting;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>The limits on SECURITY.md are those of the code.</summary>
public sealed class SecurityPageTests
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
            .. File.ReadAllLines(Path.Combine(LocalInstallation.Repository, "SECURITY.md"))
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
}
