using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Subscriptions;

/// <summary>
/// A client's connection for one subscription, in RavenDB's protocol: header, options, then batches and
/// acknowledgements in turn. Only one task writes. Another reads, so that it notices at once when the client
/// disconnects.
/// </summary>
internal sealed class SubscriptionConnection(
    ConnectionContext connection,
    ServerDatabases databases,
    ServerOptions options,
    ILogger logger,
    CancellationToken stopping
)
{
    private const int MaxHeaders = 8;
    private const int MaxUnread = 16;
    private static readonly TimeSpan HeartbeatInterval = TimeSpan.FromSeconds(5);
    private readonly TcpMessageReader _reader = new(connection.Transport.Input);
    private readonly string _client = connection.RemoteEndPoint?.ToString() ?? "";

    /// <summary>Serves the client until either side ends the connection.</summary>
    public async Task RunAsync()
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(connection.ConnectionClosed, stopping);
        try
        {
            if (await NegotiateAsync().ConfigureAwait(false) is not var (database, request))
                return;
            ServerLog.WorkerConnected(logger, _client, request.Subscription, database.Name);
            ServerMetrics.Workers.Add(1);
            try
            {
                await ServeAsync(database, request, ends).ConfigureAwait(false);
            }
            finally
            {
                ServerMetrics.Workers.Add(-1);
            }
        }
        catch (BadRequestException e)
        {
            ServerLog.WorkerRefused(logger, _client, e.Message);
            await TrySendAsync(TcpMessages.Error("Raven.Client.Exceptions.BadRequestException", e.Message))
                .ConfigureAwait(false);
        }
        catch (DatabaseMissingException e)
        {
            await TrySendAsync(
                    TcpMessages.Error("Raven.Client.Exceptions.Database.DatabaseDoesNotExistException", e.Message)
                )
                .ConfigureAwait(false);
        }
        catch (Exception e)
            when (options.Cluster is not null
                && e
                    is SubscriptionException { Problem: SubscriptionProblem.Closed }
                        or NotLeaderException
                        or NotAcceptedException
            )
        {
            // Another node resumes the subscription.
            ServerLog.WorkerLeft(logger, _client, e.Message);
            await TrySendAsync(TcpMessages.Redirect(options.Cluster)).ConfigureAwait(false);
        }
        catch (SubscriptionException e)
        {
            ServerLog.WorkerEnded(logger, _client, e.Message);
            await TrySendAsync(TcpMessages.Status(e)).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e
                    is OperationCanceledException
                        or ConnectionResetException
                        or ConnectionAbortedException
                        or IOException
                        or ObjectDisposedException
                        or NotLeaderException
                        or NotAcceptedException
            )
        {
            ServerLog.WorkerLeft(logger, _client, e.Message);
        }
    }

    /// <summary>
    /// Agrees on the version and reads the client's request, all within the time limit for a request's head.
    /// </summary>
    /// <remarks>
    /// A client that has closed only its sending side still gets its answer; the reader sees the end of its input.
    /// </remarks>
    private async Task<(ServedDatabase Database, WorkerRequest Request)?> NegotiateAsync()
    {
        using var late = new CancellationTokenSource(options.Limits.MaxHeadTime, options.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stopping, late.Token);
        TcpHeader? agreed = null;
        for (var tried = 0; agreed is null; tried++)
        {
            using var message = await _reader.ReadAsync(either.Token).ConfigureAwait(false);
            if (message is null || tried == MaxHeaders)
                return null;
            var header = TcpHeader.Read(message.RootElement);
            if (header.Operation == "Drop")
                return null;
            if (await AnswerAsync(header, either.Token).ConfigureAwait(false) is not { } isAgreed)
                return null;
            agreed = isAgreed ? header : null;
        }
        using var wanted = await _reader.ReadAsync(either.Token).ConfigureAwait(false);
        if (wanted is null)
            return null;
        var request = WorkerRequest.Read(wanted.RootElement, _client);
        return databases.TryGet(agreed.Database, out var database)
            ? (database, request)
            : throw new DatabaseMissingException(agreed.Database);
    }

    /// <summary>Answers a header; null if that ends the connection.</summary>
    private async Task<bool?> AnswerAsync(TcpHeader header, CancellationToken ct)
    {
        try
        {
            if (header.Operation != "Subscription")
            {
                throw new BadRequestException(
                    $"the operation '{header.Operation}' is not served over TCP; Subscription is"
                );
            }

            connection
                .Features.Get<ClientIdentity>()!
                .Demand(header.Database, DatabaseAccess.ReadWrite, "A subscription");
        }
        catch (Exception e) when (e is BadRequestException or AccessDeniedException)
        {
            ServerMetrics.Refused.Add(1);
            ServerLog.WorkerRefused(logger, _client, e.Message);
            await SendAsync(TcpMessages.Negotiation("AuthorizationFailed", -1, e.Message), ct).ConfigureAwait(false);
            return null;
        }
        var message = header.IsSpoken ? null : $"version {header.Version} is not spoken here";
        await SendAsync(
                TcpMessages.Negotiation(
                    header.IsSpoken ? "Ok" : "TcpVersionMismatch",
                    header.IsSpoken ? header.Version : TcpHeader.BestVersion,
                    message
                ),
                ct
            )
            .ConfigureAwait(false);
        return header.IsSpoken;
    }

    private async Task ServeAsync(ServedDatabase served, WorkerRequest request, CancellationTokenSource ends)
    {
        var received = Channel.CreateBounded<string?>(
            new BoundedChannelOptions(MaxUnread) { SingleReader = true, SingleWriter = true }
        );
        var reading = ReadAsync(received.Writer, ends);
        try
        {
            var joining = served.Subscriptions.ConnectAsync(request.Subscription, request.Options, ends.Token);
            try
            {
                var worker = await BeatWhileAsync(joining, null, ends.Token).ConfigureAwait(false);
                await SendAsync(TcpMessages.Accepted, ends.Token).ConfigureAwait(false);
                await PumpAsync(served.Database, worker, request, received.Reader, ends.Token).ConfigureAwait(false);
            }
            finally
            {
                // The place may have been assigned while the client was disconnecting.
                await ends.CancelAsync().ConfigureAwait(false);
                await ((Task)joining).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                if (joining.IsCompletedSuccessfully)
                    await (await joining.ConfigureAwait(false)).DisposeAsync().ConfigureAwait(false);
            }
        }
        finally
        {
            await ends.CancelAsync().ConfigureAwait(false);
            await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task PumpAsync(
        DocumentDatabase database,
        SubscriptionWorker worker,
        WorkerRequest request,
        ChannelReader<string?> received,
        CancellationToken ct
    )
    {
        var sender = new SubscriptionSender(database, connection.Transport.Output);
        while (true)
        {
            if (
                await BeatWhileAsync(worker.NextAsync(request.EndsWhenEmpty, ct).AsTask(), null, ct)
                    .ConfigureAwait(false)
                is not { } batch
            )
            {
                await SendAsync(TcpMessages.NoDocumentsLeft(request.Subscription), ct).ConfigureAwait(false);
                return;
            }
            if (batch.Count == 0)
            {
                // A resync mark separates old documents from new ones; the protocol has no message for it.
                await batch.AcknowledgeAsync(null, ct).ConfigureAwait(false);
                continue;
            }
            if (received.TryRead(out _))
            {
                throw new BadRequestException(
                    "an acknowledgement came before its batch was sent; acknowledge each batch once, after its EndOfBatch"
                );
            }

            using (var stuck = CancellationTokenSource.CreateLinkedTokenSource(ct))
            {
                stuck.CancelAfter(options.Limits.MaxIdleTime);
                await sender.SendAsync(batch, stuck.Token).ConfigureAwait(false);
            }
            await AcknowledgedAsync(database, worker, batch, received, ct).ConfigureAwait(false);
            await batch.AcknowledgeAsync(null, CancellationToken.None).ConfigureAwait(false);
            await SendAsync(TcpMessages.Confirm, ct).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for the client's acknowledgement, or for the worker's end, whichever comes first.</summary>
    /// <remarks>An acknowledgement without a change vector refers to the batch in flight: there is only one.</remarks>
    private async Task AcknowledgedAsync(
        DocumentDatabase database,
        SubscriptionWorker worker,
        SubscriptionBatch batch,
        ChannelReader<string?> received,
        CancellationToken ct
    )
    {
        var next = received.ReadAsync(ct).AsTask();
        if (await BeatWhileAsync(Task.WhenAny(next, worker.Ended), batch, ct).ConfigureAwait(false) != next)
            throw await worker.Ended.ConfigureAwait(false);
        var (expected, got) = (
            ChangeVector.Format(batch.LastPosition, database.Id),
            await ReceivedAsync(next).ConfigureAwait(false)
        );
        if (got is not null && got != expected)
            throw new BadRequestException($"the acknowledgement is of '{got}', the batch ends with '{expected}'");
    }

    private static async Task<string?> ReceivedAsync(Task<string?> next)
    {
        try
        {
            return await next.ConfigureAwait(false);
        }
        catch (ChannelClosedException e)
        {
            throw e.InnerException as BadRequestException
                ?? (Exception)new OperationCanceledException("The client is gone.", e);
        }
    }

    /// <summary>Waits for a task and sends heartbeats while it waits.</summary>
    private async Task<T> BeatWhileAsync<T>(Task<T> waiting, SubscriptionBatch? batch, CancellationToken ct)
    {
        while (!waiting.IsCompleted)
        {
            using var over = CancellationTokenSource.CreateLinkedTokenSource(ct);
            if (
                await Task.WhenAny(waiting, Task.Delay(HeartbeatInterval, options.Time, over.Token))
                    .ConfigureAwait(false) == waiting
                || ct.IsCancellationRequested
            )
            {
                await over.CancelAsync().ConfigureAwait(false);
                break;
            }
            batch?.ExtendLease();
            await SendAsync(TcpMessages.Heartbeat, ct).ConfigureAwait(false);
        }
        return await waiting.ConfigureAwait(false);
    }

    /// <summary>Reads messages until the client ends, and passes its acknowledgements on.</summary>
    /// <remarks>
    /// RavenDB's Node.js clients since 6.0 name no change vector. Its Python clients before 5.2.6 name one for each
    /// batch, and then send another acknowledgement without one. If that counted for the next batch, the batch would be
    /// lost. So unnamed ones are ignored after a named one.
    /// </remarks>
    private async Task ReadAsync(ChannelWriter<string?> acknowledged, CancellationTokenSource ends)
    {
        Exception? error = null;
        var namesVectors = false;
        try
        {
            while (await _reader.ReadAsync(ends.Token).ConfigureAwait(false) is { } message)
            {
                using (message)
                {
                    if (TcpText.Of(message.RootElement, "Type") != "Acknowledge")
                        continue;
                    var vector = TcpText.Of(message.RootElement, "ChangeVector");
                    namesVectors |= vector is not null;
                    if (vector is not null || !namesVectors)
                        await acknowledged.WriteAsync(vector, ends.Token).ConfigureAwait(false);
                }
            }
        }
        catch (Exception e)
            when (e
                    is OperationCanceledException
                        or ConnectionResetException
                        or ConnectionAbortedException
                        or IOException
                        or BadRequestException
            )
        {
            error = e;
        }
        acknowledged.TryComplete(error);
        await ends.CancelAsync().ConfigureAwait(false);
    }

    private ValueTask SendAsync(ReadOnlyMemory<byte> message, CancellationToken ct) =>
        new SubscriptionSender(null!, connection.Transport.Output).SendAsync(message, ct);

    /// <summary>Sends the last message; a failure does not matter, since the client is then gone.</summary>
    private async Task TrySendAsync(byte[] message)
    {
        using var late = new CancellationTokenSource(options.Limits.MaxHeadTime, options.Time);
        try
        {
            await SendAsync(message, late.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e
                    is OperationCanceledException
                        or ConnectionResetException
                        or ConnectionAbortedException
                        or IOException
            )
        {
            ServerLog.WorkerLeft(logger, _client, e.Message);
        }
    }
}
