using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Pipeline.Hosting;
using Pipeline.Hosting.Logging;
using Pipeline.TestKit.Files;
using Pipeline.Worker.Snmp;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>The command with a real worker, which goes away and comes back.</summary>
public sealed class SnmpCommandTests : IDisposable
{
    private const string Base = "." + WorkerMib.DefaultBase;
    private const string Up = Base + ".1.1.1.0";
    private const string Problem = Base + ".1.1.2.0";

    private readonly TestFolder _folder = new();

    private string Data => _folder["data"];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AWalkShowsTheWorkerInTheOrderOfNumbers()
    {
        await using var worker = await StartAsync();
        await worker.Database.PutAsync("orders/1", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        await using var agent = new SnmpAgent(false, "--data", Data);
        var values = await agent.WalkAsync(Base);

        Assert.Equal(
            values.Select(v => v.Id).OrderBy(i => i, Comparer<string>.Create(CompareNumbers)),
            values.Select(v => v.Id)
        );
        Assert.Distinct(values.Select(v => v.Id));
        Assert.Equal("", agent.Error.ToString());
        var byId = values.ToDictionary(v => v.Id[(Base.Length + 3)..], v => (v.Type, v.Text));
        Assert.Equal(("integer", "1"), byId["1.1.0"]);
        Assert.Equal(("string", ""), byId["1.2.0"]);
        Assert.Equal(("string", WorkerVersion.Text), byId["1.3.0"]);
        Assert.Equal("timeticks", byId["1.4.0"].Type);
        Assert.InRange(long.Parse(byId["1.4.0"].Text, CultureInfo.InvariantCulture), 0, uint.MaxValue);
        Assert.Equal(("counter64", "1"), byId["1.18.0"]);
        // One database, its columns in order.
        Assert.Equal(("string", "shop"), byId["2.1.2.1"]);
        Assert.Equal(("integer", "1"), byId["2.1.3.1"]);
        Assert.Equal(("gauge", "1"), byId["2.1.4.1"]);
        // Tasks by name: eleven of them, so that text and numbers order rows differently.
        Assert.Equal(
            Enumerable.Range(1, 11).Select(i => $"task-{i:00}"),
            Enumerable.Range(1, 11).Select(i => byId[$"3.1.2.{i}"].Text)
        );
        Assert.Equal(("integer", "8"), byId["3.1.4.11"]);
        Assert.Equal(("string", "billing"), byId["4.1.2.1"]);
        Assert.Equal(("integer", "3"), byId["4.1.3.1"]);
        Assert.Equal(("gauge", "1"), byId["4.1.5.1"]);
        Assert.Equal(("string", "nightly"), byId["5.1.2.1"]);
        Assert.Equal(("integer", "1"), byId["5.1.4.1"]);
        Assert.DoesNotContain("5.1.5.1", byId.Keys);
        // It is alone.
        Assert.DoesNotContain(byId.Keys, k => k.StartsWith("6.", StringComparison.Ordinal));

        // Each value can be got by its identifier, too.
        foreach (var value in values)
            Assert.Equal(value, await agent.GetAsync(value.Id));
        Assert.Equal(ExitCodes.Success, await agent.EndAsync());
    }

    [Fact]
    public async Task TheAgentOutlivesTheWorkerAndFindsTheNextOne()
    {
        await using var agent = new SnmpAgent(false, "--data", Data);
        Assert.Equal((Up, "integer", "2"), await agent.GetAsync(Up));
        Assert.StartsWith($"no worker has {Data} open", (await agent.GetAsync(Problem))!.Value.Text);
        Assert.Equal(2, (await agent.WalkAsync(Base)).Count);

        for (var round = 0; round < 2; round++)
        {
            // Another port each time.
            await using (await StartAsync())
            {
                // It asks again only after some seconds.
                Assert.Equal("2", (await agent.GetAsync(Up))!.Value.Text);
                agent.Time.Advance(FiguresCache<SnmpTree>.Freshness);
                Assert.Equal("1", (await agent.GetAsync(Up))!.Value.Text);
                Assert.True((await agent.WalkAsync(Base)).Count > 50);
            }

            agent.Time.Advance(FiguresCache<SnmpTree>.Freshness);
            Assert.Equal("2", (await agent.GetAsync(Up))!.Value.Text);
            Assert.Equal(2, (await agent.WalkAsync(Base)).Count);
        }

        Assert.Equal("", agent.Error.ToString());
    }

    [Fact]
    public async Task AnAddressWithoutAWorkerIsAProblemAndNoEnd()
    {
        await using var agent = new SnmpAgent(true, "--url", "http://127.0.0.1:1");
        Assert.Equal("2", (await agent.GetAsync(Up))!.Value.Text);
        Assert.StartsWith("no worker answers at http://127.0.0.1:1", (await agent.GetAsync(Problem))!.Value.Text);
        // A person at a terminal reads it; snmpd would take it for an answer.
        Assert.StartsWith("pipeline: no worker answers at http://127.0.0.1:1", agent.Error.ToString());
    }

    [Fact]
    public async Task AWorkerThatDoesNotAnswerIsAwayAfterSomeSeconds()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var agent = new SnmpAgent(false, "--url", $"http://{silent.LocalEndpoint}");
        var asked = agent.GetAsync(Problem);
        await AdvanceAsync(agent, FiguresReader.TimeLimit);
        Assert.Equal("/health/live did not answer within 5 s", (await asked)!.Value.Text);
        // It is asked anew, but the agent answers before that is over.
        asked = agent.GetAsync(Up);
        await AdvanceAsync(agent, FiguresCache<SnmpTree>.WaitTimeout);
        Assert.Equal("2", (await asked)!.Value.Text);
    }

    [Fact]
    public async Task AWorkerThatRefusesSomeAnswersIsUpWithTheOthers()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using var server = builder.Build();
        server.MapGet("/health/live", () => "live");
        server.MapGet("/health/ready", () => Results.Json(new { status = "unready" }, statusCode: 503));
        server.MapGet("/metrics", () => "target_info{service_version=\"1.2.3\"} 1\n");
        server.MapGet("/subscriptions", () => "<html>");
        server.MapFallback(() => Results.StatusCode(403));
        await server.StartAsync();
        await using var agent = new SnmpAgent(false, "--url", server.Urls.Single());
        var values = (await agent.WalkAsync(Base)).ToDictionary(v => v.Id[(Base.Length + 3)..], v => v.Text);
        Assert.Equal("1", values["1.1.0"]);
        Assert.Contains("/stats answered 403", values["1.2.0"], StringComparison.Ordinal);
        Assert.Contains("/subscriptions answered no JSON", values["1.2.0"], StringComparison.Ordinal);
        Assert.Equal(("1.2.3", "3"), (values["1.3.0"], values["1.5.0"]));
        // Without a right to see the checks there is no number of them.
        Assert.DoesNotContain("1.6.0", values.Keys);
        Assert.DoesNotContain(values.Keys, k => !k.StartsWith("1.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AFaultOfTheConfigurationIsAProblemAndNoEnd()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            "version: 1\ndatabase: { name: shop, path: ./data, pathh: ./data }\n"
        );
        await using var agent = new SnmpAgent(false, "--config", file);
        Assert.Equal("2", (await agent.GetAsync(Up))!.Value.Text);
        Assert.Contains("pathh", (await agent.GetAsync(Problem))!.Value.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnotherBaseMovesTheObjects()
    {
        await using var agent = new SnmpAgent(false, "--url", "http://127.0.0.1:1", "--oid", "1.3.6.1.4.1.32473.7");
        Assert.Equal(".1.3.6.1.4.1.32473.7.1.1.1.0", (await agent.NextAsync(".1.3"))!.Value.Id);
        Assert.Null(await agent.GetAsync(Up));
        var printed = await WorkerRun.InvokeAsync("snmp", "--mib", "--oid", "1.3.6.1.4.1.32473.7");
        Assert.Contains("::= { enterprises 32473 7 }", printed.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheMibIsPrinted()
    {
        var printed = await WorkerRun.InvokeAsync("snmp", "--mib");
        Assert.Equal((ExitCodes.Success, "", MibFile.Text), (printed.ExitCode, printed.Error, printed.Out));
    }

    [Theory]
    [InlineData("--oid 'x' is no object identifier", "--oid", "x")]
    [InlineData("--oid '1.2.3' is not below 1.3.6.1", "--oid", "1.2.3")]
    [InlineData("--oid '1.3.6.1' is not below 1.3.6.1", "--oid", "1.3.6.1")]
    [InlineData("give one of them", "--url", "http://127.0.0.1:1", "--data", "x")]
    public async Task AWrongCommandLineIsNamed(string fault, params string[] arguments)
    {
        var run = await WorkerRun.InvokeAsync(["snmp", .. arguments]);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(fault, run.Error, StringComparison.Ordinal);
    }

    /// <summary>Lets the time pass for which the agent waits, once it does.</summary>
    private static async Task AdvanceAsync(SnmpAgent agent, TimeSpan wait)
    {
        TimeSpan set;
        do set = await agent.Time.NextTimerAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(1));
        while (set != wait);
        agent.Time.Advance(wait);
    }

    private async Task<PipelineWorker> StartAsync()
    {
        var tasks = string.Concat(
            Enumerable
                .Range(1, 11)
                .Select(i =>
                    $$"""

                          - name: task-{{i:00}}
                            from: [Orders]
                            to: out
                            disabled: true
                            transform: send("orders.jsonl", doc);
                        """
                )
        );
        var file = _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections:
              out: { files: { directory: ./out, create: true } }
            subscriptions:
              - { name: billing, collections: [Orders], paused: true }
            backups:
              - { name: nightly, to: { folder: ./backups } }
            etl:{{tasks}}
            """
        );
        return await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
    }

    private static int CompareNumbers(string? a, string? b)
    {
        var (left, right) = (Numbers(a!), Numbers(b!));
        var differs = left.Zip(right).FirstOrDefault(p => p.First != p.Second);
        return differs == default ? left.Length.CompareTo(right.Length) : differs.First.CompareTo(differs.Second);
    }

    private static long[] Numbers(string id) =>
        [.. id.Split('.').Skip(1).Select(n => long.Parse(n, CultureInfo.InvariantCulture))];
}
