using System.Buffers;
using System.CommandLine;
using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline subscription try|pause|resume|move|delete</c>.</summary>
internal static class SubscriptionCommands
{
    /// <summary>The commands below <c>subscription</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
    [
        new Try(common),
        new Act(common, "pause", "Stop giving changes; the position stays.", (host, name, _, ct) => host.PauseAsync(name, ct), "is paused", takesPosition: false),
        new Act(common, "resume", "Go on after a pause.", (host, name, _, ct) => host.ResumeAsync(name, ct), "goes on", takesPosition: false),
        new Act(common, "move", "Set the position.", (host, name, to, ct) => host.MoveAsync(name, to, ct), "is moved", takesPosition: true),
        new Act(common, "delete", "Delete a subscription with its position.", async (host, name, _, ct) =>
        {
            if (!await host.DeleteAsync(name, ct).ConfigureAwait(false))
                throw new SubscriptionException(name, SubscriptionProblem.NotFound, $"There is no subscription '{name}'; 'pipeline subscriptions' lists them.");
        }, "is deleted", takesPosition: false),
    ];

    private sealed class Act : WorkerCommand
    {
        private readonly Argument<string> _name = new("name") { Description = "The subscription.", HelpName = "NAME" };
        private readonly Option<string> _to = new("--to") { Description = "beginning, end, or the position after which to go on.", HelpName = "POSITION", Required = true };
        private readonly Func<SubscriptionHost, string, SubscriptionStart, CancellationToken, Task> _act;
        private readonly string _done;

        public Act(CommonOptions common, string name, string description, Func<SubscriptionHost, string, SubscriptionStart, CancellationToken, Task> act, string done, bool takesPosition)
            : base(name, description)
        {
            (_act, _done) = (act, done);
            AddPlain(_name);
            if (takesPosition)
                Add(_to);
            common.AddDatabaseTo(this);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var name = run.Parsed.GetValue(_name)!;
            var start = Options.Contains(_to) ? Start(run.Parsed.GetValue(_to)!) : default;
            var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            var host = SubscriptionHost.Open(opened.Database, run.Time);
            await using var ending = host.ConfigureAwait(false);
            await _act(host, name, start, cancellationToken).ConfigureAwait(false);
            await run.Console.Out.WriteLineAsync($"subscription '{name}' {_done}").ConfigureAwait(false);
            return ExitCodes.Success;
        }

        private static SubscriptionStart Start(string text) => text switch
        {
            "beginning" => SubscriptionStart.Beginning,
            "end" => SubscriptionStart.End,
            _ => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position) ? SubscriptionStart.After(position)
                : throw new Hosting.WorkerException($"--to '{text}' is none of beginning, end, or a position", ExitCodes.Usage),
        };
    }

    private sealed class Try : WorkerCommand
    {
        private readonly Option<string?> _query = new("--query") { Description = "The query: from Cities where Country = 'ES'.", HelpName = "QUERY" };
        private readonly Option<string[]> _collections = new("--collection") { Description = "A collection, in place of a query; may be given again.", HelpName = "NAME" };
        private readonly Option<string?> _filter = new("--filter") { Description = "C# expression over 'doc', 'id', 'metadata' and 'load(id)'.", HelpName = "C#" };
        private readonly Option<string?> _projection = new("--projection") { Description = "C# expression of what would be given.", HelpName = "C#" };
        private readonly Option<bool> _revisions = new("--revisions") { Description = "Every version with the one before, as 'from Orders (Revisions = true)' in a query does." };
        private readonly Option<int> _last = new("--last") { Description = "How many of the last documents to try.", HelpName = "N", DefaultValueFactory = _ => 100 };

        public Try(CommonOptions common)
            : base("try", "Show what a subscription would give of the last documents, one JSON line each, without making it.")
        {
            Add(_query);
            Add(_collections);
            Add(_filter);
            Add(_projection);
            Add(_revisions);
            Add(_last);
            common.AddDatabaseTo(this);
            Validators.Add(result =>
            {
                if (result.GetResult(_last) is { Implicit: false } && result.GetValue(_last) < 1)
                    result.AddError($"--last is {result.GetValue(_last)}; at least 1 is needed");
            });
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var collections = run.Parsed.GetValue(_collections);
            var definition = new SubscriptionDefinition
            {
                Name = "try", Query = run.Parsed.GetValue(_query), Collections = collections is { Length: > 0 } ? collections : null, Filter = run.Parsed.GetValue(_filter),
                Projection = run.Parsed.GetValue(_projection), Revisions = run.Parsed.GetValue(_revisions),
            };
            definition.Validate(cancellationToken);
            var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            var result = SubscriptionTrial.Run(opened.Database, definition, run.Parsed.GetValue(_last), cancellationToken);
            foreach (var line in result.Given)
                await run.Console.Out.WriteLineAsync(Encoding.UTF8.GetString(line.Span).AsMemory(), cancellationToken).ConfigureAwait(false);
            if (result.Includes.Count > 0)
            {
                var includes = new ArrayBufferWriter<byte>();
                result.WriteIncludes(includes);
                await run.Console.Out.WriteLineAsync(Encoding.UTF8.GetString(includes.WrittenSpan).AsMemory(), cancellationToken).ConfigureAwait(false);
            }
            foreach (var (id, message) in result.Failed)
                await run.Console.Error.WriteLineAsync($"pipeline: {id} would be parked: {message}").ConfigureAwait(false);
            await run.Console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{result.Given.Count:N0} of {result.Tried:N0} documents tried would be given")).ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
