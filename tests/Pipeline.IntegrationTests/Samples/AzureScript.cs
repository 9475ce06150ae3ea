using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Samples;

/// <summary>Runs JavaScript with Azure's own clients; <c>CONNECTION</c> holds the connection string.</summary>
internal static class AzureScript
{
    public static Task<string> RunAsync(string script, string connection, params string[] arguments)
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules");
        if (
            LocalInstallation.FindProgram("node") is not { } node
            || !Directory.Exists(Path.Combine(modules, "@azure", "storage-blob"))
        )
        {
            throw Missing.Program("@azure/storage-blob", "npm");
        }

        return Tool.RunAsync(
            node,
            ["-e", script, .. arguments],
            new Dictionary<string, string> { ["CONNECTION"] = connection, ["NODE_PATH"] = modules }
        );
    }
}
