using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Cluster;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline cluster …</c>: the nodes of a cluster, asked of any of them, and its log.</summary>
internal static class ClusterCommands
{
    /// <summary>The commands below <c>cluster</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
        [
            new Status(common),
            new Handover(common),
            new Verify(common),
            new Refill(common),
            new Remove(common),
            new ClusterLogCommands.End(common),
            new ClusterLogCommands.Begin(common),
        ];

    private static async Task<WorkerClient> ConnectAsync(CommandRun run, Option<string?> url, CancellationToken ct) =>
        new(await RunningWorker.RequireAsync(run, url, ct).ConfigureAwait(false));

    private static Argument<string> NodeArgument(string description) =>
        new("NODE") { Description = description, HelpName = "NODE" };

    private static Task PrintAsync(CommandRun run, string text, CancellationToken ct) =>
        run.Console.Out.WriteLineAsync(text.AsMemory(), ct);

    private sealed class Status : WorkerCommand
    {
        private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON." };
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Status(CommonOptions common)
            : base(
                "status",
                "Show the nodes: the leader, each node's lag, and problems. Exit code 1 if no node leads or one has a problem."
            )
        {
            Add(_json);
            Add(_url);
            common.AddWorkerTo(this, _url);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = await ConnectAsync(run, _url, cancellationToken).ConfigureAwait(false);
            var text = await client.GetAsync("/cluster/status", cancellationToken).ConfigureAwait(false);
            var view = WorkerClient.Read<ClusterView>(text);
            if (run.Parsed.GetValue(_json))
            {
                await PrintAsync(run, JsonSerializer.Serialize(view, JsonForms.Indented), cancellationToken)
                    .ConfigureAwait(false);
            }
            else
            {
                Draw(view, run.Console);
            }
            return view.Nodes.All(n => n.Problem is null) && view.Nodes.Any(n => n.Role == "leader")
                ? ExitCodes.Success
                : ExitCodes.Failed;
        }

        private static void Draw(ClusterView view, WorkerConsole console)
        {
            console.Out.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"cluster {view.Cluster}, database {view.Database}, log {view.Log}: epoch {view.Epoch}, format {view.Format}, {(view.Leader is null ? "nobody leads" : "led by " + view.Leader)}"
                )
            );
            var table = new Table().Border(TableBorder.Rounded);
            foreach (var heading in (string[])["node", "role", "url"])
                table.AddColumn(heading);
            foreach (var heading in (string[])["epoch", "transaction", "position", "behind"])
                table.AddColumn(new TableColumn(heading).RightAligned());
            foreach (var node in view.Nodes)
            {
                table.AddRow(
                    new Text(node.Node),
                    new Text(node.Role),
                    new Text(node.Url),
                    Number(node.Epoch),
                    Number(node.Transaction),
                    Number(node.Position),
                    node.Lag is { } lag ? Number(lag) : new Text("-")
                );
            }
            SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
            foreach (var node in view.Nodes.Where(n => n.Problem is not null))
                console.Out.WriteLine(Printable.Of($"{node.Node}: {node.Problem}"));
            if (view.Nodes.Select(n => n.Format).Distinct().Count() > 1)
            {
                foreach (var node in view.Nodes.Where(n => n.Role != NodeView.Unreachable))
                {
                    console.Out.WriteLine(
                        Printable.Of(
                            string.Create(CultureInfo.InvariantCulture, $"{node.Node} knows format {node.Format}")
                        )
                    );
                }
            }
            foreach (var node in view.Nodes.Where(n => n.Doing is not null))
                console.Out.WriteLine(Printable.Of($"{node.Node} {node.Doing}"));
            if (view.LogUse is { } use)
                console.Out.WriteLine(Printable.Of(Describe(use)));
        }

        private static string Describe(LogUse use)
        {
            var silent = string.Join(", ", use.Holders.Where(h => h.IsSilent).Select(h => h.Name));
            return string.Create(
                CultureInfo.InvariantCulture,
                $"the log has {use.Records:N0} records from place {use.First:N0}{(use.HeldBy is null ? "" : ": " + use.HeldBy)}{(silent.Length == 0 ? "" : "; silent and no longer waited for: " + silent)}"
            );
        }

        private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));
    }

    private sealed class Handover : WorkerCommand
    {
        private readonly Argument<string> _node = NodeArgument("The node that is to lead.");
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Handover(CommonOptions common)
            : base("handover", "Have another node lead. Requests wait for a moment; none is lost.")
        {
            Add(_node);
            Add(_url);
            common.AddWorkerTo(this, _url);
            AddJson();
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = await ConnectAsync(run, _url, cancellationToken).ConfigureAwait(false);
            var node = run.Parsed.GetValue(_node)!;
            var text = await client
                .SendAsync(HttpMethod.Post, "/cluster/handover?to=" + Uri.EscapeDataString(node), cancellationToken)
                .ConfigureAwait(false);
            using var json = JsonDocument.Parse(text);
            var took = json.RootElement.GetProperty("milliseconds").GetDouble();
            var told =
                took > 0
                    ? string.Create(CultureInfo.InvariantCulture, $"{node} leads; the handover took {took:0.#} ms")
                    : $"{node} leads already";
            await run.PrintAsync(new { leader = node, milliseconds = took }, told, cancellationToken)
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    private sealed class Verify : WorkerCommand
    {
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Verify(CommonOptions common)
            : base(
                "verify",
                "Compare the stores of all nodes, page by page, as of one transaction; writes go on meanwhile. Exit code 1 if they differ."
            )
        {
            Add(_url);
            common.AddWorkerTo(this, _url);
            AddJson();
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = await ConnectAsync(run, _url, cancellationToken).ConfigureAwait(false);
            var view = WorkerClient.Read<VerificationView>(
                await client.SendAsync(HttpMethod.Post, "/cluster/verify", cancellationToken).ConfigureAwait(false)
            );
            foreach (var node in run.IsJson ? [] : view.Nodes)
            {
                await PrintAsync(run, Printable.Of($"{node.Node}: {node.Digest ?? node.Problem}"), cancellationToken)
                    .ConfigureAwait(false);
            }
            await run.PrintAsync(
                    view,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{(view.AreEqual ? "all stores are equal" : "the stores are NOT shown to be equal")} at transaction {view.Transaction}"
                    ),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return view.AreEqual ? ExitCodes.Success : ExitCodes.Failed;
        }
    }

    private sealed class Refill : WorkerCommand
    {
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Refill(CommonOptions common)
            : base(
                "refill",
                "Replace the store of the stopped node at --url. The node sets its folder aside, exports the changes that only it has, and copies another node."
            )
        {
            Add(_url);
            common.AddWorkerTo(this, _url);
            AddJson();
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = await ConnectAsync(run, _url, cancellationToken).ConfigureAwait(false);
            using var json = JsonDocument.Parse(
                await client.SendAsync(HttpMethod.Post, "/cluster/refill", cancellationToken).ConfigureAwait(false)
            );
            var node = json.RootElement.GetProperty("refills").GetString();
            await run.PrintAsync(
                    new { refills = node },
                    Printable.Of($"{node} starts again and is filled; 'pipeline cluster status' tells how far it is"),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    private sealed class Remove : WorkerCommand
    {
        private readonly Argument<string> _node = NodeArgument("The node, which must have ended.");
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Remove(CommonOptions common)
            : base(
                "remove",
                "Forget a node that has ended for good, so that clients are not sent there and the log is not kept for it."
            )
        {
            Add(_node);
            Add(_url);
            common.AddWorkerTo(this, _url);
            AddJson();
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = await ConnectAsync(run, _url, cancellationToken).ConfigureAwait(false);
            var node = run.Parsed.GetValue(_node)!;
            await client
                .SendAsync(HttpMethod.Delete, "/cluster/nodes?name=" + Uri.EscapeDataString(node), cancellationToken)
                .ConfigureAwait(false);
            await run.PrintAsync(new { removed = node }, $"{node} is no longer a node", cancellationToken)
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
