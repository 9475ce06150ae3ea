using System.Buffers;
using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Subscriptions;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline subscription try|pause|resume|move|retry|delete</c>.</summary>
internal static class SubscriptionCommands
{
    /// <summary>The commands below <c>subscription</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
        [new Try(common), .. SubscriptionAction.All.Select(a => new Act(common, a))];

    private sealed class Act : WorkerCommand
    {
        private readonly Argument<string> _name = new("name") { Description = "The subscription.", HelpName = "NAME" };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();
        private readonly Option<string> _to;
        private readonly SubscriptionAction _action;

        public Act(CommonOptions common, SubscriptionAction action)
            : base(action.Name, action.Description)
        {
            _action = action;
            _to = new(action.IsRetry ? "--position" : "--to")
            {
                Description = action.To,
                HelpName = "POSITION",
                Required = true,
            };
            AddPlain(_name);
            if (action.To is not null)
                Add(_to);
            AddJson();
            Add(_url);
            common.AddDatabaseTo(this);
            common.RefuseWith(this, _url);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var name = run.Parsed.GetValue(_name)!;
            var to = _action.To is null ? "" : run.Parsed.GetValue(_to)!;
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                using var client = new WorkerClient(url);
                var query = $"?name={Uri.EscapeDataString(name)}&to={Uri.EscapeDataString(to)}";
                await client
                    .SendAsync(
                        _action.IsDelete ? HttpMethod.Delete : HttpMethod.Post,
                        "/subscriptions" + (_action.IsDelete ? "" : "/" + _action.Name) + query,
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }
            else
            {
                var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
                await using var closing = opened.ConfigureAwait(false);
                var host = SubscriptionHost.Open(opened.Database, run.Time);
                await using var ending = host.ConfigureAwait(false);
                await _action.RunAsync(host, name, to, cancellationToken).ConfigureAwait(false);
            }
            await run.PrintAsync(
                    new { name, action = _action.Name },
                    $"subscription '{name}' {_action.Done}",
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    private sealed class Try : WorkerCommand
    {
        private readonly Option<string?> _query = new("--query")
        {
            Description = "The query: from Cities where Country = 'ES'.",
            HelpName = "QUERY",
        };
        private readonly Option<string[]> _collections = new("--collection")
        {
            Description = "A collection, in place of a query; may be repeated.",
            HelpName = "NAME",
        };
        private readonly Option<string?> _filter = new("--filter")
        {
            Description = "C# expression over 'doc', 'id', 'metadata' and 'load(id)'.",
            HelpName = "C#",
        };
        private readonly Option<string?> _projection = new("--projection")
        {
            Description = "C# expression of the delivered value.",
            HelpName = "C#",
        };
        private readonly Option<bool> _revisions = new("--revisions")
        {
            Description =
                "Every version together with the previous one, as 'from Orders (Revisions = true)' in a query does.",
        };
        private readonly Option<int> _last = new("--last")
        {
            Description = "How many of the last documents to try.",
            HelpName = "N",
            DefaultValueFactory = _ => 100,
        };

        private readonly Option<string?> _url = WorkerClient.InsteadOption();

        public Try(CommonOptions common)
            : base(
                "try",
                "Show what a subscription would deliver from the last documents, one JSON line each, without creating it."
            )
        {
            Add(_query);
            Add(_collections);
            Add(_filter);
            Add(_projection);
            Add(_revisions);
            Add(_last);
            Add(_url);
            common.AddDatabaseTo(this);
            common.RefuseWith(this, _url);
            Validators.Add(result =>
            {
                if (result.GetResult(_last) is { Implicit: false } && result.GetValue(_last) < 1)
                    result.AddError($"--last is {result.GetValue(_last)}; it must be at least 1");
            });
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var collections = run.Parsed.GetValue(_collections);
            var definition = new SubscriptionDefinition
            {
                Name = "try",
                Query = run.Parsed.GetValue(_query),
                Collections = collections is { Length: > 0 } ? collections : null,
                Filter = run.Parsed.GetValue(_filter),
                Projection = run.Parsed.GetValue(_projection),
                Revisions = run.Parsed.GetValue(_revisions),
            };
            definition.Validate(cancellationToken);
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
                return await AskAsync(run, url, definition, cancellationToken).ConfigureAwait(false);
            var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            var result = SubscriptionTrial.Run(
                opened.Database,
                definition,
                run.Parsed.GetValue(_last),
                cancellationToken
            );
            foreach (var line in result.Given)
            {
                await run
                    .Console.Out.WriteLineAsync(Encoding.UTF8.GetString(line.Span).AsMemory(), cancellationToken)
                    .ConfigureAwait(false);
            }

            if (result.Includes.Count > 0)
            {
                var includes = new ArrayBufferWriter<byte>();
                result.WriteIncludes(includes);
                await run
                    .Console.Out.WriteLineAsync(
                        Encoding.UTF8.GetString(includes.WrittenSpan).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }
            await WriteAsync(
                    run,
                    result.Given.Count,
                    result.Tried,
                    result.Failed.Select(f => new Fault(f.Id, f.Message))
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }

        /// <summary>Lets a running worker try it. The worker takes C# from its admins only.</summary>
        private async Task<int> AskAsync(
            CommandRun run,
            string url,
            SubscriptionDefinition definition,
            CancellationToken cancellationToken
        )
        {
            using var client = new WorkerClient(url);
            var body = new
            {
                query = definition.Query,
                collections = definition.Query is null ? definition.Collections ?? [] : null,
                revisions = definition.Revisions,
                filter = definition.Filter,
                projection = definition.Projection,
                last = run.Parsed.GetValue(_last),
            };
            var answer = WorkerClient.Read<TryAnswer>(
                await client
                    .SendAsync(
                        HttpMethod.Post,
                        "/subscriptions/try",
                        cancellationToken,
                        JsonSerializer.SerializeToUtf8Bytes(body, JsonForms.Line)
                    )
                    .ConfigureAwait(false)
            );
            foreach (var line in answer.Given)
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(line, JsonForms.Line).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }

            if (answer.Includes is { ValueKind: JsonValueKind.Object } includes)
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(includes, JsonForms.Line).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }

            await WriteAsync(run, answer.Given.Count, answer.Tried, answer.Failed).ConfigureAwait(false);
            return ExitCodes.Success;
        }

        private static async Task WriteAsync(CommandRun run, int given, long tried, IEnumerable<Fault> failed)
        {
            foreach (var (id, error) in failed)
            {
                await run
                    .Console.Error.WriteLineAsync($"pipeline: {id} would be parked: {error}")
                    .ConfigureAwait(false);
            }
            await run
                .Console.Error.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{given:N0} of {tried:N0} tested documents would be delivered"
                    )
                )
                .ConfigureAwait(false);
        }

        private sealed record Fault(string Id, string Error);

        private sealed record TryAnswer(
            long Tried,
            IReadOnlyList<JsonElement> Given,
            IReadOnlyList<Fault> Failed,
            JsonElement? Includes
        );
    }
}
