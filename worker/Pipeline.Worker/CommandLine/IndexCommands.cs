using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline index errors|reset|delete</c>: actions on one index.</summary>
internal static class IndexCommands
{
    /// <summary>The commands below <c>index</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
        [
            new Errors(common),
            new Act(
                common,
                "reset",
                "Empty an index and rebuild it.",
                (source, run, name, ct) => source.ResetAsync(run, name, ct),
                "will be rebuilt in the background by 'pipeline run'"
            ),
            new Act(
                common,
                "delete",
                "Delete an index and its data.",
                (source, run, name, ct) => source.DeleteAsync(run, name, ct),
                "is deleted"
            ),
        ];

    private static Argument<string> NameArgument() =>
        new("name") { Description = "The index; case is ignored.", HelpName = "NAME" };

    private sealed class Errors : WorkerCommand
    {
        private readonly Argument<string> _name = NameArgument();
        private readonly Option<bool> _json = new("--json") { Description = "Print them as JSON." };
        private readonly IndexAccess _source;

        public Errors(CommonOptions common)
            : base("errors", "Show the documents that an index could not process, and why, the newest first.")
        {
            AddPlain(_name);
            Add(_json);
            _source = new IndexAccess(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var errors = await _source
                .ErrorsAsync(run, run.Parsed.GetValue(_name)!, cancellationToken)
                .ConfigureAwait(false);
            if (run.Parsed.GetValue(_json))
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(errors, JsonForms.Indented).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
                return ExitCodes.Success;
            }
            if (errors.Count == 0)
                await run.Console.Out.WriteLineAsync("no errors").ConfigureAwait(false);
            foreach (var error in errors)
            {
                var place =
                    error.Line > 0
                        ? string.Create(CultureInfo.InvariantCulture, $"{error.Source}:{error.Line}:{error.Column}")
                        : error.Source;
                await run
                    .Console.Out.WriteLineAsync(
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{error.Time:u} {error.DocumentId ?? "(a group)"}: {place}: {error.Message}"
                        )
                    )
                    .ConfigureAwait(false);
            }
            return ExitCodes.Success;
        }
    }

    private sealed class Act : WorkerCommand
    {
        private readonly Argument<string> _name = NameArgument();
        private readonly IndexAccess _source;
        private readonly Func<IndexAccess, CommandRun, string, CancellationToken, Task<bool>> _act;
        private readonly string _done;

        public Act(
            CommonOptions common,
            string name,
            string description,
            Func<IndexAccess, CommandRun, string, CancellationToken, Task<bool>> act,
            string done
        )
            : base(name, description)
        {
            (_act, _done) = (act, done);
            AddPlain(_name);
            AddJson();
            _source = new IndexAccess(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var name = run.Parsed.GetValue(_name)!;
            await _act(_source, run, name, cancellationToken).ConfigureAwait(false);
            await run.PrintAsync(new { name, action = Name }, $"index '{name}' {_done}", cancellationToken)
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
