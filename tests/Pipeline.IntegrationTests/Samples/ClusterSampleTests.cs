using System.Diagnostics;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Samples;

/// <summary>
/// samples/Cluster with real processes: under load leaders are killed and paused, and a follower is wiped. Every acknowledged write is there,
/// and the stores are equal.
/// </summary>
[Collection(BrokerOutages.Name)]
public sealed class ClusterSampleTests(Services services, ITestOutputHelper output)
{
    private static readonly TimeSpan Most = TimeSpan.FromMinutes(4);

    [Fact]
    public async Task Over_a_folder_no_acknowledged_write_is_lost_when_nodes_are_killed_paused_and_wiped() =>
        await RunAsync("2");

    [SkippableFact]
    public async Task Over_Kafka_no_acknowledged_write_is_lost_when_nodes_are_killed_paused_and_wiped() =>
        await RunAsync("2", "--kafka", (await services.Kafka.UseAsync()).Endpoint);

    private async Task RunAsync(string kills, params string[] more)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-cluster-");
        var program = Path.Combine(AppContext.BaseDirectory, "cluster-sample.dll");
        using var sample = Process.Start(
            new ProcessStartInfo(
                LocalInstallation.FindProgram("dotnet")!,
                [program, "--kills", kills, "--data", Path.Combine(folder.FullName, "data"), .. more]
            )
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            }
        )!;
        using var late = new CancellationTokenSource(Most);
        await using var killed = late.Token.Register(() => sample.Kill(entireProcessTree: true));
        var (text, errors) = (sample.StandardOutput.ReadToEndAsync(), sample.StandardError.ReadToEndAsync());
        await sample.WaitForExitAsync();
        output.WriteLine(await text);
        Assert.True(sample.ExitCode == 0, $"{await text}\n{await errors}\n{Logs(folder)}");
        Assert.Contains(" 0 of them are lost", await text, StringComparison.Ordinal);
        Assert.Contains("0 stale reads after 1 pauses", await text, StringComparison.Ordinal);
        Assert.Contains("are equal page by page", await text, StringComparison.Ordinal);
        Assert.Contains("of 1\n", (await text).Split("Handover, ")[^1], StringComparison.Ordinal);
        folder.Delete(recursive: true);
    }

    private static string Logs(DirectoryInfo folder) =>
        string.Join(
            '\n',
            folder
                .EnumerateFiles("n?.log", SearchOption.AllDirectories)
                .Select(f => f.Name + ":\n" + string.Join('\n', File.ReadLines(f.FullName).TakeLast(20)))
        );
}
