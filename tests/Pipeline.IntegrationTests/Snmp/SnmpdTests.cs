using System.Text.RegularExpressions;
using Pipeline.Hosting;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;
using Pipeline.Worker;
using Xunit;

namespace Pipeline.IntegrationTests.Snmp;

/// <summary>A worker seen through net-snmp: its agent, its clients, and libsmi's checker of MIBs.</summary>
public sealed class SnmpdTests : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);
    private readonly string _folder = ServiceProcess.NewFolder("snmp");

    private string Data => Path.Combine(_folder, "data");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableFact]
    public async Task AWalkShowsTheWorkerAndTheAgentOutlivesIt()
    {
        await using var service = await SnmpService.StartAsync(Data);
        Assert.Equal(
            ["PIPELINE-MIB::pipelineWorkerUp.0 = INTEGER: false(2)"],
            await service.RunAsync("snmpget", "PIPELINE-MIB::pipelineWorkerUp.0")
        );
        await using (var worker = await StartAsync())
        {
            await worker.Database.PutAsync("orders/1", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
            await UntilAsync(service, "true(1)");
            await SeesItAllAsync(service);
            Assert.Equal(
                ["PIPELINE-MIB::pipelineWorkerUp.0 = INTEGER: true(1)"],
                await service.RunEncryptedAsync("snmpget", "PIPELINE-MIB::pipelineWorkerUp.0")
            );
        }

        await UntilAsync(service, "false(2)");
        Assert.Equal(2, (await service.RunAsync("snmpwalk", "PIPELINE-MIB::pipelineMIB")).Length);
        await using (await StartAsync())
            await UntilAsync(service, "true(1)");
    }

    [SkippableFact]
    public async Task TheMibIsValid()
    {
        // The warnings above this level are about style: libsmi would like a name for each number above the base.
        const string Level = "4";
        var smilint = SnmpService.Find("smilint", "smitools");
        var said = await Tool.RunAsync(
            smilint,
            ["-l", Level, "-s", SnmpService.Mib],
            new Dictionary<string, string> { ["SMIPATH"] = SnmpService.StandardMibs }
        );
        Assert.Equal("", said);
    }

    private static async Task SeesItAllAsync(SnmpService service)
    {
        var lines = await service.RunAsync("snmpwalk", "PIPELINE-MIB::pipelineMIB");
        Assert.Contains("PIPELINE-MIB::pipelineWorkerProblem.0 = STRING: ", lines);
        Assert.Contains($"PIPELINE-MIB::pipelineWorkerVersion.0 = STRING: {Version()}", lines);
        Assert.Contains(lines, l => Regex.IsMatch(l, @"^PIPELINE-MIB::pipelineWorkerUptime\.0 = Timeticks: \(\d+\) "));
        Assert.Contains("PIPELINE-MIB::pipelineDatabaseName.1 = STRING: shop", lines);
        Assert.Contains("PIPELINE-MIB::pipelineDatabaseDocuments.1 = Gauge32: 1 documents", lines);
        Assert.Contains("PIPELINE-MIB::pipelineDatabasePosition.1 = Counter64: 1 changes", lines);
        Assert.Contains("PIPELINE-MIB::pipelineTaskName.1 = STRING: large-orders", lines);
        Assert.Contains("PIPELINE-MIB::pipelineTaskState.1 = INTEGER: disabled(8)", lines);
        Assert.Contains("PIPELINE-MIB::pipelineTaskLag.1 = Gauge32: 1 changes", lines);
        Assert.Contains("PIPELINE-MIB::pipelineSubscriptionState.1 = INTEGER: paused(3)", lines);
        // Every line has a name of the MIB, and a value of the MIB's syntax.
        Assert.All(
            lines,
            l => Assert.Matches(@"^PIPELINE-MIB::pipeline[A-Z]\w+\.\d+ = (INTEGER: [A-Za-z]+\(\d\)|\w+: )", l)
        );
        Assert.DoesNotContain(lines, l => l.Contains("Wrong Type", StringComparison.Ordinal));

        // Several values in one packet, and a tree read in bulk.
        var bulk = await service.RunAsync("snmpbulkwalk", "PIPELINE-MIB::pipelineMIB");
        Assert.Equal(lines.Select(NameOf), bulk.Select(NameOf));

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            service.RunAsync("snmpset", "PIPELINE-MIB::pipelineWorkerUp.0", "i", "2")
        );
        Assert.Contains("notWritable", refused.Message, StringComparison.Ordinal);
        Assert.Equal(
            ["PIPELINE-MIB::pipelineWorkerUp.0 = INTEGER: true(1)"],
            await service.RunAsync("snmpget", "PIPELINE-MIB::pipelineWorkerUp.0")
        );
    }

    private static string NameOf(string line) => line.Split(" = ")[0];

    private static string Version() => typeof(PipelineWorker).Assembly.GetName().Version!.ToString(3);

    /// <summary>The agent asks the worker again after some seconds.</summary>
    private static async Task UntilAsync(SnmpService service, string up)
    {
        using var late = new CancellationTokenSource(Limit);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(200));
        string seen;
        do
        {
            await timer.WaitForNextTickAsync(late.Token);
            seen = (await service.RunAsync("snmpget", "PIPELINE-MIB::pipelineWorkerUp.0"))[0];
        } while (!seen.EndsWith(up, StringComparison.Ordinal));
    }

    private async Task<PipelineWorker> StartAsync()
    {
        var file = Path.Combine(_folder, "pipeline.yaml");
        await File.WriteAllTextAsync(
            file,
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections:
              out: { files: { directory: ./out, create: true } }
            etl:
              - name: large-orders
                from: [Orders]
                to: out
                disabled: true
                transform: send("orders.jsonl", doc);
            subscriptions:
              - { name: billing, collections: [Orders], paused: true }
            """
        );
        return await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
    }
}
