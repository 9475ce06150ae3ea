using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline subscriptions</c>: the state of each subscription and its workers.</summary>
internal sealed class SubscriptionsCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    private readonly Option<bool> _follow = new("--follow")
    {
        Description = "With --url: print their events, one JSON line each, until interrupted.",
    };

    public SubscriptionsCommand(CommonOptions common)
        : base("subscriptions", "Show the subscriptions: position, lag, changes in progress, workers.")
    {
        Add(_json);
        Add(_url);
        Add(_follow);
        common.AddDatabaseTo(this);
        Validators.Add(result =>
        {
            if (result.GetValue(_follow) && result.GetValue(_url) is null)
                result.AddError("--follow needs --url: only a running worker has events");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        if (run.Parsed.GetValue(_follow))
        {
            using var client = new WorkerClient(run.Parsed.GetValue(_url)!);
            await client
                .CopyLinesAsync("/subscriptions/events", run.Console.Out, cancellationToken)
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
        var all = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run).ConfigureAwait(false);
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(all, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            Draw(all, run.Console);
        }

        return ExitCodes.Success;
    }

    private static async Task<IReadOnlyList<SubscriptionView>> AskAsync(string url, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(url);
        return WorkerClient.Read<IReadOnlyList<SubscriptionView>>(
            await client.GetAsync("/subscriptions", cancellationToken).ConfigureAwait(false)
        );
    }

    private static async Task<IReadOnlyList<SubscriptionView>> OpenAsync(CommandRun run)
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        var host = SubscriptionHost.Open(
            opened.Database,
            new SubscriptionHostOptions { Time = run.Time, OnlyLooks = true }
        );
        await using var ending = host.ConfigureAwait(false);
        return [.. host.GetStatus().Select(SubscriptionView.Of)];
    }

    private static void Draw(IReadOnlyList<SubscriptionView> all, WorkerConsole console)
    {
        if (all.Count == 0)
        {
            console.Out.WriteLine("no subscriptions");
            return;
        }
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("subscription");
        table.AddColumn("state");
        foreach (
            var heading in (string[])
                ["position", "wait", "bytes", "age", "per second", "in flight", "retrying", "parked", "workers", "held"]
        )
        {
            table.AddColumn(new TableColumn(heading).RightAligned());
        }

        foreach (var one in all)
        {
            table.AddRow(
                new Text(one.Name),
                new Text(one.State),
                Number(one.Position),
                Number(one.Consumer?.Pending.Changes ?? one.Lag),
                Number(one.Consumer?.Pending.Bytes ?? 0),
                new Text(
                    string.Create(CultureInfo.InvariantCulture, $"{one.Consumer?.AgeSeconds ?? one.LagSeconds:N0} s")
                ),
                new Text(one.PerSecond.ToString("N1", CultureInfo.InvariantCulture)),
                Number(one.InFlight),
                Number(one.Retrying),
                Number(one.Parked),
                Number(one.Workers.Count),
                Number(one.Consumer?.HeldBytes ?? 0)
            );
        }
        SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
        foreach (var one in all)
        {
            if (one.LastError is not null)
                console.Out.WriteLine($"{one.Name}: {one.LastError}");
            if (one.LagReason is not null)
                console.Out.WriteLine($"{one.Name}: {one.LagReason}");
            if (one.Consumer is { HeldBytes: > 0 } kept)
            {
                console.Out.WriteLine(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{one.Name} keeps {kept.HeldTombstones:N0} tombstones ({kept.HeldTombstoneBytes:N0} bytes), {kept.HeldVersions:N0} versions ({kept.HeldVersionBytes:N0} bytes), {kept.HeldJournalBytes:N0} bytes of journal; the oldest item for {kept.HeldAgeSeconds:N0} s"
                    )
                );
            }

            foreach (var worker in one.Workers)
            {
                console.Out.WriteLine(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{one.Name}: worker '{worker.Name}' has {worker.Partitions} partitions and {worker.InFlight:N0} changes in progress; acknowledged {worker.Acknowledged:N0}{(worker.LeaseUntil is { } until ? $", its lease ends {until:u}" : "")}"
                    )
                );
            }
        }
    }

    private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));
}
