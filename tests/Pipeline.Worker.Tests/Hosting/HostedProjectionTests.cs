using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.TestKit.Time;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddPipelineProjection</c>: documents that follow events while the host runs.</summary>
public sealed class HostedProjectionTests
{
    [Fact]
    public async Task A_projection_runs_with_the_host_and_is_tried_again_after_an_error()
    {
        using var folder = new HostFolder();
        using var log = new RecordedLog();
        var time = new ManualTimeProvider();
        var builder = folder.NewBuilder();
        builder.Logging.AddProvider(log);
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.Services.AddPipelineDatabase("orders", null);
        builder.Services.AddPipelineProjection<Visits, VisitProjection>();
        await using var app = builder.Build();
        await app.StartAsync();
        var store = app.Services.GetRequiredService<IDocumentStore>();
        var database = app.Services.GetRequiredService<DocumentDatabase>();

        await store.Events.AppendAsync("visits/1", [new Visited(1), new Visited(2)]);
        await log.SawAsync(7010);
        Assert.Null(await store.LoadAsync<Visits>("visits/1"));
        var wait = TimeSpan.FromSeconds(1);
        while (await time.NextTimerAsync() != wait) { }
        time.Advance(wait);

        await SeesAsync(3);
        await store.Events.AppendAsync("visits/1", [new Visited(4)]);
        await SeesAsync(7);
        await app.StopAsync();
        Assert.Contains(
            log.Lines,
            l =>
                l.StartsWith(
                    "7010 The projection 'VisitProjection' failed; it is tried again in 00:00:01",
                    StringComparison.Ordinal
                )
        );

        async Task SeesAsync(int sum)
        {
            for (var after = database.LastPosition; ; after++)
            {
                if ((await store.LoadAsync<Visits>("visits/1"))?.Sum == sum)
                    return;
                await database.WaitForChangeAsync(after);
            }
        }
    }
}

internal sealed record Visited(int Value);

internal sealed class Visits
{
    public string? Id { get; set; }

    public int Sum { get; set; }
}

internal sealed class VisitProjection : DocumentProjection<Visits>
{
    private bool _hasFailed;

    public VisitProjection() =>
        On<Visited>(
            (visits, e) =>
            {
                if (!_hasFailed)
                {
                    _hasFailed = true;
                    throw new InvalidOperationException("the first attempt fails");
                }

                visits.Sum += e.Value;
            }
        );
}
