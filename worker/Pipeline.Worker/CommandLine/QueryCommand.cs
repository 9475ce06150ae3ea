using System.Buffers;
using System.CommandLine;
using System.Text.Json;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Hosting;
using Pipeline.Hosting.Queries;
using Pipeline.Server.Endpoints;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline query</c>: runs a query on a database that no process has open, or in a running worker.
/// </summary>
internal sealed class QueryCommand : WorkerCommand
{
    private const int DefaultLimit = 25;
    private const int DefaultWaitSeconds = 15;
    private readonly Argument<string> _query = new("query")
    {
        Description = "The query, in RQL: from Orders where Freight > 100 order by Freight desc.",
        HelpName = "QUERY",
    };
    private readonly Option<bool> _timings = new("--timings")
    {
        Description = "Show the plan: its steps with estimated and real counts, and times.",
    };
    private readonly Option<bool> _explain = new("--explain") { Description = "Show why each result has its score." };
    private readonly Option<bool> _json = new("--json") { Description = "Print the whole answer as JSON." };
    private readonly Option<double?> _wait = new("--wait")
    {
        Description =
            "Wait until a running worker's index shows all changes, at most this long (default 15). Without a running worker the command always waits.",
        HelpName = "SECONDS",
        Arity = ArgumentArity.ZeroOrOne,
    };
    private readonly Option<long?> _waitFor = new("--wait-for")
    {
        Description = "Wait until the index shows this position, for example that of a write; see also --wait.",
        HelpName = "POSITION",
    };
    private readonly Option<int> _limit = new("--limit")
    {
        Description = $"Most results to show if the query has no limit (default: {DefaultLimit}; with --json all).",
        HelpName = "N",
    };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public QueryCommand(CommonOptions common)
        : base(
            "query",
            "Run a query and show its results as a table. Creates the automatic index that it needs and keeps it."
        )
    {
        AddPlain(_query);
        Add(_timings);
        Add(_explain);
        Add(_json);
        Add(_wait);
        Add(_waitFor);
        Add(_limit);
        Add(_url);
        common.AddDatabaseTo(this);
        Validators.Add(result =>
        {
            if (result.GetResult(_limit) is { Implicit: false } && result.GetValue(_limit) < 1)
                result.AddError($"--limit is {result.GetValue(_limit)}; it must be at least 1");
            if (result.GetResult(_waitFor) is { Implicit: false } && result.GetValue(_waitFor) < 0)
                result.AddError($"--wait-for is {result.GetValue(_waitFor)}; a position is 0 or greater");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var text = run.Parsed.GetValue(_query)!;
        var includes = new List<string>();
        if (run.Parsed.GetValue(_timings))
            includes.Add("timings()");
        if (run.Parsed.GetValue(_explain))
            includes.Add("explanations()");
        if (includes.Count > 0)
            text = QueryText.WithIncludes(text, includes);
        var limit =
            run.Parsed.GetResult(_limit) is { Implicit: false } ? run.Parsed.GetValue(_limit)
            : run.Parsed.GetValue(_json) ? int.MaxValue
            : DefaultLimit;
        var position = run.Parsed.GetValue(_waitFor);
        var seconds = run.Parsed.GetResult(_wait) is { Implicit: false } ? run.Parsed.GetValue(_wait) : null;
        var wait =
            run.Parsed.GetResult(_wait) is { Implicit: false } || position is not null
                ? new IndexWait(TimeSpan.FromSeconds(seconds ?? DefaultWaitSeconds), position)
                : null;
        var answer = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, text, limit, wait, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run, text, limit, wait, cancellationToken).ConfigureAwait(false);
        using var document = JsonDocument.Parse(answer);
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(document.RootElement, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            QueryTable.Write(document.RootElement, run.Console);
        }

        return ExitCodes.Success;
    }

    private static async Task<ReadOnlyMemory<byte>> OpenAsync(
        CommandRun run,
        string text,
        int limit,
        IndexWait? wait,
        CancellationToken cancellationToken
    )
    {
        var opened = OpenedDatabase.OpenExisting(
            DataSource.Find(run.Settings),
            run.Loggers,
            run.Time,
            keepsIndexes: true
        );
        await using var closing = opened.ConfigureAwait(false);
        // Nothing else updates the indexes here, so a stale answer would be confusing.
        var request = new QueryRequest(text)
        {
            Take = limit,
            Wait = wait ?? new IndexWait(TimeSpan.FromSeconds(DefaultWaitSeconds)),
        };
        var result = await opened.Database.QueryAsync(request, cancellationToken).ConfigureAwait(false);
        var answer = new ArrayBufferWriter<byte>();
        QueryAnswer.Write(answer, result, run.Time.GetUtcNow());
        return answer.WrittenMemory;
    }

    private static async Task<ReadOnlyMemory<byte>> AskAsync(
        string url,
        string text,
        int limit,
        IndexWait? wait,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var name = await client.DatabaseNameAsync(cancellationToken).ConfigureAwait(false);
        var body = JsonSerializer.SerializeToUtf8Bytes(
            new
            {
                Query = text,
                PageSize = limit,
                WaitForNonStaleResults = wait is not null,
                WaitForNonStaleResultsTimeout = wait?.Timeout,
                WaitFor = wait?.Position,
            }
        );
        return System.Text.Encoding.UTF8.GetBytes(
            await client
                .SendAsync(HttpMethod.Post, $"/databases/{Uri.EscapeDataString(name)}/queries", cancellationToken, body)
                .ConfigureAwait(false)
        );
    }
}
