using System.CommandLine;
using System.Globalization;
using Pipeline.Hosting.Cluster;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline cluster end</c> and <c>begin</c>: a database moves from one log to another.</summary>
internal static class ClusterLogCommands
{
    /// <summary>Asks the leader to end the log.</summary>
    public sealed class End : WorkerCommand
    {
        private readonly Argument<string> _next = new("NEXT")
        {
            Description = "The log that continues, for people: each node shows this text until it is changed over.",
            HelpName = "NEXT",
        };
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public End(CommonOptions common)
            : base(
                "end",
                "End the log of the cluster for good, to continue in another one. From then on no node takes writes. Exit code 1 if a node has not read the end."
            )
        {
            AddPlain(_next);
            Add(_url);
            common.AddWorkerTo(this, _url);
            AddJson();
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var worker = await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false);
            using var client = new WorkerClient(worker);
            var next = run.Parsed.GetValue(_next)!;
            var view = WorkerClient.Read<LogEndView>(
                await client
                    .SendAsync(HttpMethod.Post, "/cluster/end?next=" + Uri.EscapeDataString(next), cancellationToken)
                    .ConfigureAwait(false)
            );
            await run.PrintAsync(view, Printable.Of(Describe(view)), cancellationToken).ConfigureAwait(false);
            return view.Behind.Count == 0 ? ExitCodes.Success : ExitCodes.Failed;
        }

        private static string Describe(LogEndView view)
        {
            var ended = string.Create(
                CultureInfo.InvariantCulture,
                $"the log has ended with transaction {view.Transaction:N0}, and {string.Join(", ", view.Nodes)} have read its end"
            );
            return view.Behind.Count == 0
                ? $"{ended}; stop all nodes, change cluster.log, and run 'pipeline cluster begin' at one of them"
                : $"{ended}; {string.Join(", ", view.Behind)} did not within the time: wait until their status says so, or fill them later";
        }
    }

    /// <summary>Begins an empty log with the database of a node that does not run.</summary>
    public sealed class Begin : WorkerCommand
    {
        private readonly Option<bool> _acceptLoss = new("--accept-loss")
        {
            Description =
                "Begin although the database may lack changes that were acknowledged. ETL tasks then wait for a decision.",
        };

        public Begin(CommonOptions common)
            : base(
                "begin",
                "Begin an empty log with this node's database. Use it for a database that was alone, whose log has ended, or whose log is lost. The node must not run."
            )
        {
            Add(_acceptLoss);
            AddJson();
            common.AddConfigTo(this);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var configuration = DataSource.LoadConfiguration(run.Settings, "a configuration with --config FILE");
            // Both the database's key and the log's may come from a command.
            DataSource.Of(configuration, run.Settings);
            DataSource.RequireSecrets(configuration, "cluster");
            NewLogView view;
            try
            {
                view = await NewLog
                    .BeginAsync(
                        configuration,
                        run.Parsed.GetValue(_acceptLoss),
                        run.Time,
                        run.Loggers,
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }
            catch (ClusterException e)
            {
                throw new WorkerException(e.Message, ExitCodes.Usage, e);
            }
            await run.PrintAsync(
                    view,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{view.Log} begins with the database of {view.Node}, at transaction {view.Transaction:N0}; start {view.Node} with 'pipeline run', and then the other nodes{(view.NewLineage ? ". ETL tasks wait until you decide: 'pipeline etl resume'" : "")}"
                    ),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
