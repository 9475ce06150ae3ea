using System.Buffers;
using System.Runtime.CompilerServices;
using Pipeline.Client;
using Pipeline.Client.Transport;

namespace Pipeline.Worker.CommandLine;

/// <summary>A subscription of a running worker, read over a web socket.</summary>
internal static class RemoteSubscription
{
    /// <summary>The name by which the subscription shows the command.</summary>
    public const string WorkerName = "pipeline subscribe";

    /// <summary>Reads its batches. The batch before must have been acknowledged.</summary>
    /// <exception cref="WorkerException">The subscription refuses or has lost the command, or no worker answers.</exception>
    public static async IAsyncEnumerable<LineBatch> ReadAsync(
        string url,
        string name,
        int maxCount,
        bool endsWhenEmpty,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        string database;
        using (var client = new WorkerClient(url))
            database = await client.DatabaseNameAsync(cancellationToken).ConfigureAwait(false);
        using var http = new HttpClient(WorkerTrust.Handler()) { Timeout = Timeout.InfiniteTimeSpan };
        var transport = new HttpTransport(url, database, http);
        await using var closing = transport.ConfigureAwait(false);
        var options = new SubscribeOptions
        {
            WorkerName = WorkerName,
            MaxBatchCount = maxCount,
            EndsWhenEmpty = endsWhenEmpty,
            AsLines = true,
        };
        var connection = await TryAsync(() => transport.ConnectAsync(name, options, cancellationToken))
            .ConfigureAwait(false);
        await using var leaving = connection.ConfigureAwait(false);
        var lines = new ArrayBufferWriter<byte>();
        while (
            await TryAsync(() => connection.NextAsync(cancellationToken).AsTask()).ConfigureAwait(false) is { } batch
        )
        {
            lines.ResetWrittenCount();
            if (batch.Resync is SubscriptionResync.Begin or SubscriptionResync.End)
                lines.Write(LineBatch.ResyncLine(batch.Resync == SubscriptionResync.Begin));
            foreach (var item in batch.Items)
            {
                lines.Write(item.Json.Span);
                lines.Write("\n"u8);
            }

            yield return new LineBatch(
                lines.WrittenMemory,
                batch.Items.Count(i => i.Id.Length > 0),
                ct =>
                    TryAsync(async () =>
                    {
                        await connection.AcknowledgeAsync([], ct).ConfigureAwait(false);
                        return true;
                    })
            );
        }
    }

    private static async Task<T> TryAsync<T>(Func<Task<T>> call)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (SubscriptionException e)
        {
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
        }
    }
}
