using System.Globalization;
using System.Text.RegularExpressions;
using Pipeline.IntegrationTests.Independent;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.RavenClient;

/// <summary>RavenDB's official Node.js client, unchanged, against our server: the tests are in suite.mjs.</summary>
public sealed partial class RavenClientTests
{
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_official_client_works_unchanged(bool memory)
    {
        var client = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", "ravendb", "dist", "index.js");
        if (!File.Exists(client))
            throw Missing.Program("the npm package ravendb", "npm");
        var folder = Directory.CreateTempSubdirectory("pipeline-server-");
        try
        {
            string output;
            await using (var server = await PipelineServer.StartAsync(new ServerOptions { DataFolder = memory ? null : folder.FullName }))
            {
                output = await Tool.RunAsync("node", ["--test", "--test-reporter=tap", Path.Combine(AppContext.BaseDirectory, "RavenClient", "suite.mjs")],
                    new Dictionary<string, string> { ["SERVER"] = server.Url.GetLeftPart(UriPartial.Authority), ["CLIENT"] = client });
                Assert.Empty(server.DatabaseNames);
            }
            Assert.True(int.Parse(Passed().Match(output).Groups[1].Value, CultureInfo.InvariantCulture) >= 16, output);
            Assert.Empty(folder.EnumerateFileSystemInfos());
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [GeneratedRegex(@"^# pass (\d+)", RegexOptions.Multiline)]
    private static partial Regex Passed();
}
