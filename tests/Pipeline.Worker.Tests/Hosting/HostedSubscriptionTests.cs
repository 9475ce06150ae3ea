using System.Collections.Concurrent;
using System.Threading.Channels;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddPipelineSubscription</c>: handlers that run with the host.</summary>
public sealed class HostedSubscriptionTests
{
    private static readonly SubscriptionOptions Twice = new()
    {
        Query = "from Orders where Total < 100",
        MaxAttempts = 2,
        RetryDelay = TimeSpan.Zero,
    };

    [Fact]
    public async Task A_handler_gets_each_document_in_a_scope_and_stores_it_back()
    {
        using var folder = new HostFolder();
        using var log = new RecordedLog();
        var builder = folder.NewBuilder();
        builder.Logging.AddProvider(log);
        builder.Services.AddSingleton<Seen>();
        builder.Services.AddPipelineDatabase("orders", null);
        builder.Services.AddPipelineSubscription<Order, OrderHandler>("small", o => o.Definition = Twice);
        builder.Services.AddHealthChecks().AddPipelineSubscription("small");
        await using var app = builder.Build();
        await app.StartAsync();
        var seen = app.Services.GetRequiredService<Seen>();
        var store = app.Services.GetRequiredService<IDocumentStore>();
        await StoreAsync(store, 1, 13, 2);
        Assert.Equal(
            [(1m, 0), (13m, 0), (2m, 0), (13m, 1)],
            [await seen.NextAsync(), await seen.NextAsync(), await seen.NextAsync(), await seen.NextAsync()]
        );
        Assert.Equal(4, seen.Handlers.Distinct().Count());
        await log.SawAsync(7008);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(app)).Status);
        await using (var session = store.OpenSession())
        {
            Assert.Equal(
                [101m, 13m, 102m],
                (await session.LoadAsync<Order>(["orders/1-A", "orders/2-A", "orders/3-A"])).Values.Select(o =>
                    o!.Total
                )
            );
        }

        await app.StopAsync();
        Assert.Contains(
            log.Lines,
            l => l.StartsWith("7005 The handler of the subscription 'small' is connected", StringComparison.Ordinal)
        );
        Assert.Contains(
            log.Lines,
            l =>
                l.StartsWith(
                    "7007 The handler of the subscription 'small' failed for orders/2-A at attempt 1",
                    StringComparison.Ordinal
                )
        );
    }

    [Fact]
    public async Task A_batch_handler_and_a_function_reach_a_worker_below_a_path()
    {
        using var folder = new HostFolder();
        var serving = folder.NewBuilder();
        serving.Services.AddPipeline();
        await using var server = serving.Build();
        server.MapPipeline();
        await server.StartAsync();
        var builder = folder.NewBuilder(("ConnectionStrings:shop", $"{server.Urls.First()}/pipeline"));
        builder.Services.AddSingleton<Seen>();
        builder.Services.AddPipelineClient("shop");
        builder.Services.AddPipelineBatchSubscription<Order, OrderBatchHandler>(
            "batches",
            o => (o.Definition, o.Key) = (new SubscriptionOptions(), "shop")
        );
        builder.Services.AddPipelineSubscription<Order>(
            "single",
            (item, scope, _) =>
            {
                scope.GetRequiredService<Seen>().Add(item.Document.Total, -1);
                return Task.CompletedTask;
            },
            o => o.Definition = new SubscriptionOptions()
        );
        await using var app = builder.Build();
        await app.StartAsync();
        var seen = app.Services.GetRequiredService<Seen>();
        await StoreAsync(app.Services.GetRequiredService<IDocumentStore>(), 5);
        Assert.Equal([(5m, -1), (5m, 1)], new[] { await seen.NextAsync(), await seen.NextAsync() }.Order());

        // Two web sockets are open, and end with the server.
        await server.StopAsync();
        await app.StopAsync();
    }

    [Fact]
    public async Task A_missing_subscription_stops_the_host()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddSingleton<Seen>();
        builder.Services.AddPipelineDatabase("orders", null);
        builder.Services.AddPipelineSubscription<Order, OrderHandler>("small");
        builder.Services.AddHealthChecks().AddPipelineSubscription("small");
        await using var app = builder.Build();
        var stopping = new TaskCompletionSource();
        app.Lifetime.ApplicationStopping.Register(stopping.SetResult);
        // The host may stop before it has started everything.
        await Record.ExceptionAsync(() => app.StartAsync());
        await stopping.Task;
        var check = await CheckAsync(app);
        Assert.Equal(HealthStatus.Unhealthy, check.Status);
        Assert.Contains("There is no subscription 'small'", check.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_cannot_be_made_fails_the_start()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipelineDatabase("orders", null);
        builder.Services.AddPipelineSubscription<Order, OrderHandler>("small", o => o.Definition = Twice);
        await using var app = builder.Build();
        Assert.Contains(
            nameof(Seen),
            (await Assert.ThrowsAsync<InvalidOperationException>(() => app.StartAsync())).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_handler_whose_subscription_is_paused_waits_and_is_degraded()
    {
        using var folder = new HostFolder();
        using var log = new RecordedLog();
        var time = new TestKit.Time.ManualTimeProvider();
        var builder = folder.NewBuilder();
        builder.Logging.AddProvider(log);
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.Services.AddSingleton<Seen>();
        builder.Services.AddPipelineDatabase("orders", null);
        builder.Services.AddPipelineSubscription<Order, OrderHandler>("small", o => o.Definition = Twice);
        builder.Services.AddHealthChecks().AddPipelineSubscription("small");
        await using var app = builder.Build();
        await app.StartAsync();
        await log.SawAsync(7005);
        await app.Services.GetRequiredService<SubscriptionHost>().PauseAsync("small");
        await log.SawAsync(7006);
        var check = await CheckAsync(app);
        Assert.Equal(HealthStatus.Degraded, check.Status);
        Assert.EndsWith(" paused.", check.Description, StringComparison.Ordinal);
        await app.Services.GetRequiredService<SubscriptionHost>().ResumeAsync("small");
        await StoreAsync(app.Services.GetRequiredService<IDocumentStore>(), 1);
        var next = app.Services.GetRequiredService<Seen>().NextAsync().AsTask();
        while (!next.IsCompleted)
        {
            time.Advance(TimeSpan.FromSeconds(30));
            await Task.Yield();
        }

        Assert.Equal((1m, 0), await next);
    }

    private static async Task StoreAsync(IDocumentStore store, params decimal[] totals)
    {
        await using var session = store.OpenSession();
        foreach (var total in totals)
            session.Store(new Order { Total = total });
        await session.SaveChangesAsync();
    }

    private static async Task<HealthReportEntry> CheckAsync(WebApplication app) =>
        (await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries["small"];

    /// <summary>What handlers were given.</summary>
    private sealed class Seen
    {
        private readonly Channel<(decimal Total, int Attempts)> _seen = Channel.CreateUnbounded<(decimal, int)>();

        public ConcurrentQueue<object> Handlers { get; } = [];

        public void Add(decimal total, int attempts) => _seen.Writer.TryWrite((total, attempts));

        public ValueTask<(decimal Total, int Attempts)> NextAsync() => _seen.Reader.ReadAsync();
    }

    private sealed class OrderHandler(Seen seen, IDocumentSession session) : ISubscriptionHandler<Order>
    {
        public async Task HandleAsync(SubscriptionItem<Order> item, CancellationToken cancellationToken)
        {
            seen.Add(item.Document.Total, item.Attempts);
            seen.Handlers.Enqueue(this);
            if (item.Document.Total == 13)
            {
                item.Document.Total = 666;
                throw new FormatException("unlucky");
            }

            item.Document.Total += 100;
            await session.SaveChangesAsync(cancellationToken);
        }
    }

    private sealed class OrderBatchHandler(Seen seen) : ISubscriptionBatchHandler<Order>
    {
        public Task HandleAsync(SubscriptionBatch<Order> batch, CancellationToken cancellationToken)
        {
            foreach (var item in batch)
                seen.Add(item.Document.Total, batch.Count);
            return Task.CompletedTask;
        }
    }
}

/// <summary>Keeps the log lines of Pipeline.Hosting.</summary>
internal sealed class RecordedLog : ILoggerProvider, ILogger
{
    private readonly Lock _gate = new();
    private readonly List<(int Event, TaskCompletionSource Seen)> _waiting = [];
    private readonly List<string> _lines = [];

    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_gate)
                return [.. _lines];
        }
    }

    /// <summary>Waits until an event was logged.</summary>
    public Task SawAsync(int id)
    {
        lock (_gate)
        {
            if (_lines.Any(l => l.StartsWith($"{id} ", StringComparison.Ordinal)))
                return Task.CompletedTask;
            var seen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Add((id, seen));
            return seen.Task;
        }
    }

    public ILogger CreateLogger(string categoryName) =>
        categoryName == "Pipeline.Hosting" ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter
    )
    {
        lock (_gate)
        {
            _lines.Add($"{eventId.Id} {formatter(state, exception)}");
            foreach ((var id, var seen) in _waiting)
            {
                if (id == eventId.Id)
                    seen.TrySetResult();
            }
        }
    }

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Dispose() { }
}
