using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>Packages of npm that .ci/install-services brings.</summary>
internal static class NpmPackage
{
    /// <summary>A file or folder of a package; skips the test if it is missing.</summary>
    public static string Find(string name, params string[] path)
    {
        var found = Path.Combine([LocalInstallation.Cache, "npm", "node_modules", name, .. path]);
        return Path.Exists(found) ? found : throw Missing.Program($"the npm package {name}", "npm");
    }
}
