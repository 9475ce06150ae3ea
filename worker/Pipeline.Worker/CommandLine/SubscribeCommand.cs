using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Pipeline.Subscriptions;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline subscribe</c>: processes a subscription. Each batch goes as JSON lines to a program's standard input, or
/// to standard output. It is acknowledged when the program exits with 0, or when the lines are written. If the query
/// includes documents, a batch ends with the line {"@includes":{"companies/1":…}}.
/// </summary>
internal sealed class SubscribeCommand : WorkerCommand
{
    private readonly Argument<string> _name = new("name") { Description = "The subscription.", HelpName = "NAME" };
    private readonly Option<string?> _exec = new("--exec")
    {
        Description = "Shell command to run for each batch. Without it the documents go to standard output.",
        HelpName = "COMMAND",
    };
    private readonly Option<bool> _untilEmpty = new("--until-empty") { Description = "End when nothing is left." };
    private readonly Option<int> _batch = new("--batch")
    {
        Description = "Most documents in a batch.",
        HelpName = "N",
        DefaultValueFactory = _ => 1000,
    };

    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public SubscribeCommand(CommonOptions common)
        : base(
            "subscribe",
            "Pass a subscription's changes to a program, batch by batch, as JSON lines. Exit code 0 acknowledges the batch."
        )
    {
        AddPlain(_name);
        Add(_exec);
        Add(_untilEmpty);
        Add(_batch);
        Add(_url);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url);
        Validators.Add(result =>
        {
            if (result.GetResult(_batch) is { Implicit: false } && result.GetValue(_batch) < 1)
                result.AddError($"--batch is {result.GetValue(_batch)}; it must be at least 1");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var batches = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? RemoteSubscription.ReadAsync(
                url,
                run.Parsed.GetValue(_name)!,
                run.Parsed.GetValue(_batch),
                run.Parsed.GetValue(_untilEmpty),
                cancellationToken
            )
            : ReadAsync(run, cancellationToken);
        var count = 0L;
        try
        {
            await foreach (var batch in batches.ConfigureAwait(false))
            {
                if (run.Parsed.GetValue(_exec) is { } command)
                {
                    await ExecuteAsync(command, batch.Lines, run, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    await run.Console.OutStream.WriteAsync(batch.Lines, cancellationToken).ConfigureAwait(false);
                    await run.Console.OutStream.FlushAsync(cancellationToken).ConfigureAwait(false);
                }
                await batch.AcknowledgeAsync(cancellationToken).ConfigureAwait(false);
                count += batch.Count;
            }
        }
        finally
        {
            // However it ends, acknowledged changes are not delivered again.
            await run
                .Console.Error.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{count:N0} {(count == 1 ? "change" : "changes")} acknowledged"
                    )
                )
                .ConfigureAwait(false);
        }
        return ExitCodes.Success;
    }

    /// <summary>Reads the batches of a database that this process opens.</summary>
    private async IAsyncEnumerable<LineBatch> ReadAsync(
        CommandRun run,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        var host = SubscriptionHost.Open(opened.Database, run.Time);
        await using var ending = host.ConfigureAwait(false);
        foreach (var configured in opened.Source.Configuration?.Subscriptions ?? [])
        {
            await host.EnsureAsync(configured.ToDefinition(), configured.Start, cancellationToken)
                .ConfigureAwait(false);
        }

        var worker = await host.ConnectAsync(
                run.Parsed.GetValue(_name)!,
                new SubscriptionWorkerOptions
                {
                    Name = RemoteSubscription.WorkerName,
                    MaxBatchCount = run.Parsed.GetValue(_batch),
                    Lease = TimeSpan.FromDays(1),
                },
                cancellationToken
            )
            .ConfigureAwait(false);
        await using var leaving = worker.ConfigureAwait(false);
        var lines = new ArrayBufferWriter<byte>();
        await foreach (
            var batch in worker.ReadAllAsync(run.Parsed.GetValue(_untilEmpty), cancellationToken).ConfigureAwait(false)
        )
        {
            lines.ResetWrittenCount();
            if (batch.Resync is ResyncPhase.Begin or ResyncPhase.End)
                lines.Write(LineBatch.ResyncLine(batch.Resync == ResyncPhase.Begin));
            using (var snapshot = opened.Database.OpenSnapshot("subscribe"))
            {
                foreach (var item in batch)
                {
                    item.WriteJson(snapshot, lines);
                    lines.Write("\n"u8);
                }
                batch.WriteIncludes(lines);
                if (batch.Includes.Count > 0)
                    lines.Write("\n"u8);
            }
            yield return new LineBatch(lines.WrittenMemory, batch.Count, ct => batch.AcknowledgeAsync(null, ct));
        }
    }

    private static async Task ExecuteAsync(
        string command,
        ReadOnlyMemory<byte> lines,
        CommandRun run,
        CancellationToken cancellationToken
    )
    {
        var start = OperatingSystem.IsWindows()
            // In a list of arguments .NET would escape the command's own quotes, which cmd does not understand.
            ? new ProcessStartInfo("cmd.exe", $"/d /s /c \"{command}\"")
            : new ProcessStartInfo("/bin/sh", ["-c", command]);
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        var stopsReading = false;
        using var process =
            Process.Start(start) ?? throw new WorkerException($"'{command}' could not be started", ExitCodes.Failed);
        try
        {
            var copying = process.StandardOutput.BaseStream.CopyToAsync(run.Console.OutStream, cancellationToken);
            try
            {
                await process.StandardInput.BaseStream.WriteAsync(lines, cancellationToken).ConfigureAwait(false);
                process.StandardInput.Close();
            }
            catch (IOException)
            {
                // Its exit code says whether it may leave input unread.
                stopsReading = true;
            }
            await copying.ConfigureAwait(false);
            await process.WaitForExitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }
        if (process.ExitCode != 0)
        {
            throw new WorkerException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"'{command}' exited with {process.ExitCode}{(stopsReading ? " before it had read its input" : "")}; its batch is not acknowledged and will be delivered again"
                ),
                ExitCodes.Failed
            );
        }
    }
}
