using System.CommandLine;
using System.Globalization;
using Pipeline.Documents.Maintenance;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline scrub</c>: makes a running worker verify all pages of its data file.</summary>
internal sealed class ScrubCommand : WorkerCommand
{
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);
    private readonly Option<string?> _url = WorkerClient.FoundOption();
    private readonly Option<bool> _json = new("--json") { Description = "Print the report as JSON." };
    private readonly Option<int?> _rate = new("--mib-per-second")
    {
        Description = "Most MiB to read per second; no limit by default.",
        HelpName = "N",
    };

    public ScrubCommand(CommonOptions common)
        : base(
            "scrub",
            "Let a running worker verify every page of its data file. Exit code 0 if all are sound, otherwise 1. 'pipeline check' verifies more, for a database that no process has open."
        )
    {
        Add(_url);
        Add(_rate);
        Add(_json);
        common.AddWorkerTo(this, _url);
        _rate.Validators.Add(result =>
        {
            if (
                result.Tokens.Count > 0
                && (!int.TryParse(result.Tokens[0].Value, CultureInfo.InvariantCulture, out var rate) || rate < 1)
            )
            {
                result.AddError($"--mib-per-second '{result.Tokens[0].Value}' is not a whole number from 1 up");
            }
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(
            await RunningWorker
                .RequireAsync(
                    run,
                    _url,
                    cancellationToken,
                    "'pipeline check' verifies a database that no process has open"
                )
                .ConfigureAwait(false)
        );
        var rate = run.Parsed.GetValue(_rate);
        var path = rate is null
            ? "/storage/scrub"
            : string.Create(CultureInfo.InvariantCulture, $"/storage/scrub?bytesPerSecond={(long)rate << 20}");
        // If this program ends, its connection closes, and that stops the scrub.
        var answer = client.SendAsync(HttpMethod.Post, path, cancellationToken);
        if (run.Console.IsErrorTerminal)
            await ShowAsync(run, client, answer, cancellationToken).ConfigureAwait(false);
        var text = await answer.ConfigureAwait(false);
        var report = WorkerClient.Read<ScrubReportView>(text);
        await run
            .Console.Out.WriteLineAsync(run.Parsed.GetValue(_json) ? text : Describe(report))
            .ConfigureAwait(false);
        return report.DamagedPages == 0 ? ExitCodes.Success : ExitCodes.Failed;
    }

    private static async Task ShowAsync(
        CommandRun run,
        WorkerClient client,
        Task answer,
        CancellationToken cancellationToken
    )
    {
        var line = new MaintenanceLine(run.Console, run.Time, "scrubbing");
        using var timer = new PeriodicTimer(Look, run.Time);
        while (
            await Task.WhenAny(answer, timer.WaitForNextTickAsync(cancellationToken).AsTask()).ConfigureAwait(false)
                != answer
            && !cancellationToken.IsCancellationRequested
        )
        {
            if (
                WorkerClient
                    .Read<StorageView>(await client.GetAsync("/storage", cancellationToken).ConfigureAwait(false))
                    .Scrub is
                { IsRunning: true } scrub
            )
            {
                line.Report(
                    new MaintenanceProgress("pages", Math.Min(scrub.Pages, scrub.TotalPages), scrub.TotalPages)
                );
            }
        }
        line.Clear();
    }

    private static string Describe(ScrubReportView report)
    {
        var lines = report
            .Repaired.Select(r =>
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"repaired: page {r.Page}{(r.Tree is null ? "" : $" of tree '{r.Tree}'")} was damaged, and has its content again from node {r.Source}"
                )
            )
            .ToList();
        lines.AddRange(report.Damaged.Select(d => "damage: " + d.Description));
        if (report.DamagedPages > report.Damaged.Count)
        {
            lines.Add(
                string.Create(CultureInfo.InvariantCulture, $"and {report.DamagedPages - report.Damaged.Count:N0} more")
            );
        }

        lines.AddRange((report.Documents ?? []).Select(d => $"affected: document '{d}'"));
        if (report is { AreAllDocuments: false, DamagedPages: > 0 })
            lines.Add("and unknown documents; 'pipeline check' of the stopped database shows more");
        lines.Add(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{report.Pages:N0} pages of {report.Trees:N0} trees verified in {report.Seconds:0.0} s; {report.PagesInMemory:N0} are in memory and will be written again"
            )
        );
        lines.Add(
            report.DamagedPages == 0
                ? "all are sound"
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"NOT sound: {report.DamagedPages:N0} pages are damaged; stop the worker, then restore a backup, or see 'pipeline check' and 'pipeline salvage'"
                )
        );
        return string.Join(Environment.NewLine, lines);
    }
}
