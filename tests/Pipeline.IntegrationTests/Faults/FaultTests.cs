using Pipeline.TestKit;
using Pipeline.TestKit.Files;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>
/// Three nodes over three brokers while seeded faults disturb the network, the nodes and the brokers.
/// PIPELINE_FAULTS_SECONDS sets how long, PIPELINE_FAULTS_SEED the first seed, PIPELINE_FAULTS_RUNS how many seeds.
/// PIPELINE_FAULTS_EARLIER names the folder of an earlier version that the nodes start with and are upgraded from.
/// PIPELINE_FAULTS_PLANTS=1 also runs each planted fault, two to three minutes each.
/// </summary>
[Collection(BrokerOutages.Name)]
public sealed class FaultTests(ITestOutputHelper output)
{
    private const int PlantSeed = 101;
    private static readonly TimeSpan PlantTime = TimeSpan.FromSeconds(30);

    [SkippableFact]
    public async Task No_fault_breaks_a_promise()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals and /proc are needed, which Linux has");
        var (seed, seconds) = (
            RunSetting.Read("PIPELINE_FAULTS_SEED", 1),
            RunSetting.Read("PIPELINE_FAULTS_SECONDS", 45)
        );
        for (var runs = RunSetting.Read("PIPELINE_FAULTS_RUNS", 1); runs > 0; runs--, seed++)
        {
            var folder = Path.Combine(RepositoryTree.Root, "artifacts", "faults", $"seed-{seed}");
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
            var earlier = Environment.GetEnvironmentVariable("PIPELINE_FAULTS_EARLIER");
            await using var run = await FaultRun.StartAsync(folder, seed, output.WriteLine, earlier: earlier);
            var faults = await run.RunAsync(TimeSpan.FromSeconds(seconds));
            Assert.True(
                faults.Count == 0,
                $"seed {seed}: {faults.Count} faults, all in {folder}:\n{string.Join('\n', faults.Take(10))}"
            );
        }
    }

    /// <summary>Each plant needs some seconds: copies lag, batches are read and connections change all the time.</summary>
    [SkippableTheory]
    [InlineData(FaultPlant.AcknowledgesBeforeAcceptance, "is lost")]
    [InlineData(FaultPlant.ReadsWithoutLease, "earlier place")]
    [InlineData(FaultPlant.BatchInParts, "bank:")]
    [InlineData(FaultPlant.AcknowledgementLost, "was acknowledged before")]
    public async Task A_planted_fault_is_found(FaultPlant plant, string fault)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals and /proc are needed, which Linux has");
        Skip.IfNot(
            RunSetting.Read("PIPELINE_FAULTS_PLANTS", 0) == 1,
            "takes ten minutes; PIPELINE_FAULTS_PLANTS=1 runs it"
        );
        var folder = Path.Combine(RepositoryTree.Root, "artifacts", "faults", $"plant-{plant}");
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        await using var run = await FaultRun.StartAsync(folder, PlantSeed, output.WriteLine, plant);
        var faults = await run.RunAsync(PlantTime);
        Assert.Contains(faults, f => f.Contains(fault, StringComparison.Ordinal));
    }
}
