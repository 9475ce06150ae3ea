using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Studio;

/// <summary>Studio while a broker, or the worker itself, ends and comes back: the tests are in outage.mjs.</summary>
public sealed class StudioOutageTests
{
    [SkippableFact]
    public async Task A_broker_or_worker_that_ends_and_comes_back_is_shown_in_a_browser()
    {
        var variables = StudioSuite.FindVariables();
        var port = FreePorts.Find(3);
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:{{port}}" }
            connections:
              queue: { azureQueues: { connectionString: "AccountName=shop;AccountKey=c2VjcmV0IGtleQ==;QueueEndpoint=http://127.0.0.1:{{port
                + 1}}/shop" } }
            etl:
              - { name: sender, from: [Orders], to: queue, retry: { initialDelay: 200ms, maxDelay: 1s }, transform: "send(\"orders\", doc);" }
            """
        );
        await using var parts = new Parts(file, port + 1);
        await parts.SetBrokerAsync(runs: true);
        await parts.SetWorkerAsync(runs: true);
        await using var control = Application(port + 2);
        control.MapPost(
            "/{action}/{what}",
            async (string action, string what) =>
            {
                var runs = action == "start";
                await (what == "broker" ? parts.SetBrokerAsync(runs) : parts.SetWorkerAsync(runs));
                return Results.Ok();
            }
        );
        control.MapGet("/received", () => parts.Received);
        await control.StartAsync();
        variables["CONTROL"] = $"http://127.0.0.1:{port + 2}";
        await StudioSuite.RunAsync("outage.mjs", 3, $"http://127.0.0.1:{port}", variables);
    }

    private static WebApplication Application(int port)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        builder.Logging.ClearProviders();
        return builder.Build();
    }

    /// <summary>A worker, and a storage account that takes every message; each can end and come back.</summary>
    private sealed class Parts(string file, int brokerPort) : IAsyncDisposable
    {
        private const string Taken =
            "<QueueMessagesList><QueueMessage><MessageId>1</MessageId><InsertionTime>Fri, 09 Oct 2026 21:04:30 GMT</InsertionTime><ExpirationTime>Fri, 16 Oct 2026 21:04:30 GMT</ExpirationTime>"
            + "<PopReceipt>r</PopReceipt><TimeNextVisible>Fri, 09 Oct 2026 21:04:30 GMT</TimeNextVisible></QueueMessage></QueueMessagesList>";

        private CancellationTokenSource _stop = new();
        private PipelineWorker? _worker;
        private Task _running = Task.CompletedTask;
        private WebApplication? _broker;
        private int _received;

        /// <summary>How many messages the account has taken.</summary>
        public int Received => Volatile.Read(ref _received);

        public async Task SetWorkerAsync(bool runs)
        {
            if (_worker is { } last)
            {
                await _stop.CancelAsync();
                await _running;
                await last.DisposeAsync();
                _worker = null;
            }

            if (!runs)
                return;
            _stop.Dispose();
            _stop = new CancellationTokenSource();
            _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
            _running = _worker.RunAsync(_stop.Token);
        }

        public async Task SetBrokerAsync(bool runs)
        {
            if (_broker is { } last)
            {
                await last.DisposeAsync();
                _broker = null;
            }

            if (!runs)
                return;
            var broker = Application(brokerPort);
            broker.MapPut("/shop/{queue}", () => Results.StatusCode(StatusCodes.Status201Created));
            broker.MapPost(
                "/shop/{queue}/messages",
                () =>
                {
                    Interlocked.Increment(ref _received);
                    return Results.Text(Taken, "application/xml", statusCode: StatusCodes.Status201Created);
                }
            );
            broker.MapFallback(() =>
                Results.Text("<EnumerationResults><Queues/><NextMarker/></EnumerationResults>", "application/xml")
            );
            await broker.StartAsync();
            _broker = broker;
        }

        public async ValueTask DisposeAsync()
        {
            await SetWorkerAsync(runs: false);
            await SetBrokerAsync(runs: false);
            _stop.Dispose();
        }
    }
}
