using System.CommandLine;
using System.Globalization;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.Worker.Hosting;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline io-stats</c>: what a running worker's storage does to its files, and who reads.</summary>
internal sealed class IoStatsCommand : WorkerCommand
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(4);
    private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON, with histograms and the recent operations." };
    private readonly Option<string> _url = new("--url")
    {
        Description = "The worker's address (server.url in its configuration).",
        HelpName = "URL",
        DefaultValueFactory = _ => WorkerDefaults.ServerUrl,
    };

    private readonly CommonOptions _common;

    public IoStatsCommand(CommonOptions common)
        : base("io-stats", "Show size, duration and throughput of a running worker's journal writes, flushes and syncs, and its readers; with --data, those of opening and flushing a database that nobody has open.")
    {
        _common = common;
        Add(_url);
        Add(_json);
        Add(common.Data);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var text = run.Parsed.GetValue(_common.Data) is null
            ? await AskAsync(run.Parsed.GetValue(_url)!, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run).ConfigureAwait(false);
        if (run.Parsed.GetValue(_json))
            await run.Console.Out.WriteLineAsync(text).ConfigureAwait(false);
        else
            Draw(run.Console, JsonSerializer.Deserialize<StorageView>(text, Json.Indented) ?? throw new WorkerException("the worker's answer is empty", ExitCodes.Failed));
        return ExitCodes.Success;
    }

    private static async Task<string> OpenAsync(CommandRun run)
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        opened.Database.Storage.Flush();
        return JsonSerializer.Serialize(StorageView.Of(opened.Database.Storage), Json.Indented);
    }

    private static async Task<string> AskAsync(string text, CancellationToken cancellationToken)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            throw new WorkerException($"--url '{text}' is not an http address; {WorkerDefaults.ServerUrl} is the usual one", ExitCodes.Usage);
        var place = url.GetLeftPart(UriPartial.Authority);
        using var client = new HttpClient { Timeout = Patience };
        try
        {
            using var response = await client.GetAsync(new Uri(url, "/storage"), cancellationToken).ConfigureAwait(false);
            if (!response.IsSuccessStatusCode)
                throw new WorkerException($"{place} answers {(int)response.StatusCode} to /storage; is that a pipeline worker of this version?", ExitCodes.Failed);
            return await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (HttpRequestException e)
        {
            var reason = e.InnerException is SocketException socket ? socket.Message : e.Message;
            throw new WorkerException($"no worker answers at {place}: {reason}; is 'pipeline run' running there?", ExitCodes.Failed, e);
        }
        catch (TaskCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new WorkerException($"the worker at {place} has not answered within {Patience.TotalSeconds:0} s", ExitCodes.Failed, e);
        }
    }

    private static void Draw(WorkerConsole console, StorageView view)
    {
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("io");
        foreach (var name in new[] { "count", "MiB", "MiB/s", "mean", "p50 <", "p99 <", "longest" })
            table.AddColumn(new TableColumn(name).RightAligned());
        foreach (var io in view.Io)
        {
            table.AddRow(
                new Text(io.Kind), Number(io.Count), Fixed(io.Bytes / 1048576.0), Fixed(io.BytesPerSecond / 1048576), Time(io.Count == 0 ? 0 : io.Seconds / io.Count),
                Time(io.P50Seconds), Time(io.P99Seconds), Time(io.LongestSeconds));
        }
        var ansi = SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal);
        ansi.Write(table);
        foreach (var reader in view.Readers)
        {
            console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"reader '{reader.Owner}' of transaction {reader.Transaction:N0}, open for {reader.AgeSeconds:0.0} s, holds back {reader.HeldTransactions:N0} transactions, {reader.HeldVersions:N0} page versions, {reader.HeldBytes / 1048576.0:N1} MiB"));
        }
        console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"transaction {view.Transaction:N0}, checkpoint {view.Checkpoint:N0}, data file {view.DataFileBytes / 1048576.0:N1} MiB ({view.FreeBytes / 1048576.0:N1} free, {view.AllocatedBytes / 1048576.0:N1} on the device{(view.CanPunchHoles ? "" : "; its file system takes no space back")}), journal {view.UnflushedJournalBytes / 1048576.0:N1} MiB, page versions {view.ScratchBytes / 1048576.0:N1} MiB"));
        if (view.Failure is not null)
            console.Out.WriteLine("writes are refused: " + view.Failure);
    }

    private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));

    private static Text Fixed(double value) => new(value.ToString("N1", CultureInfo.InvariantCulture));

    private static Text Time(double seconds) => new(seconds < 0.001
        ? string.Create(CultureInfo.InvariantCulture, $"{seconds * 1e6:0} µs")
        : string.Create(CultureInfo.InvariantCulture, $"{seconds * 1e3:0.0} ms"));
}
