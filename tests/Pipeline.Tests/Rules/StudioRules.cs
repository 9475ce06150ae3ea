using System.Security.Cryptography;
using System.Text.Json;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>The Studio's bundled library is the one that Studio/Bundle makes from its locked packages.</summary>
public sealed class StudioRules
{
    private static readonly string Studio = RepositoryTree.Relative(
        Directory
            .GetDirectories(Path.Combine(RepositoryTree.Root, "worker"), "Studio", SearchOption.AllDirectories)
            .Single(folder => Directory.Exists(Path.Combine(folder, "Bundle")))
    );

    [Fact]
    public void The_bundle_is_the_recorded_one()
    {
        var bundle = File.ReadAllBytes(Path.Combine(RepositoryTree.Root, Studio, "Assets/vendor/codemirror.js"));
        var recorded = File.ReadAllText(Path.Combine(RepositoryTree.Root, Studio, "Bundle/codemirror.sha256")).Trim();
        Assert.Equal(recorded, Convert.ToHexStringLower(SHA256.HashData(bundle)));
    }

    [Fact]
    public void Every_package_of_the_bundle_is_locked_by_its_hash()
    {
        using var locked = JsonDocument.Parse(
            File.ReadAllText(Path.Combine(RepositoryTree.Root, Studio, "Bundle/package-lock.json"))
        );
        var packages = locked
            .RootElement.GetProperty("packages")
            .EnumerateObject()
            .Where(p => p.Name.Length > 0)
            .ToList();
        Assert.True(packages.Count > 10, "the packages were not found");
        Assert.All(
            packages,
            p => Assert.StartsWith("sha512-", p.Value.GetProperty("integrity").GetString(), StringComparison.Ordinal)
        );
        Assert.All(packages, p => Assert.False(p.Value.TryGetProperty("resolved", out _), p.Name));
    }
}
