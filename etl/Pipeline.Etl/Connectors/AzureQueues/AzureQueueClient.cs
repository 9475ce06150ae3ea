using System.Collections.Concurrent;
using System.Globalization;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Queues;
using Pipeline.AzureStorage;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>The meaning of the service's answers for a sender.</summary>
internal enum AzureQueueOutcome
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>The queue does not exist.</summary>
    NoQueue,

    /// <summary>The message is at fault.</summary>
    Refused,
}

/// <summary>
/// The calls of Azure's libraries that a sender needs, each tried once, with errors as the runner knows them.
/// Thread-safe.
/// </summary>
internal sealed class AzureQueueClient
{
    private readonly string _connection;
    private readonly bool _mayLackRights;
    private readonly QueueServiceClient _queues;
    private readonly BlobContainerClient? _claims;
    private readonly string _queuesAddress;
    private readonly string _claimsAddress;
    private readonly ConcurrentDictionary<string, QueueClient> _known = new(StringComparer.Ordinal);

    /// <summary>Creates the clients. Does not connect yet.</summary>
    /// <param name="connection">The connection's name in the configuration.</param>
    /// <param name="options">Valid options.</param>
    /// <param name="credential">
    /// The identity to use without a connection string; by default the one that Azure.Identity finds.
    /// </param>
    /// <param name="transport">Replaces the default transport.</param>
    internal AzureQueueClient(
        string connection,
        AzureQueuesOptions options,
        TokenCredential? credential = null,
        HttpPipelineTransport? transport = null
    )
    {
        _connection = connection;
        var queues = AzureStorageAccess.Configure(
            new QueueClientOptions(QueueClientOptions.ServiceVersion.V2021_12_02),
            options.RequestTimeout,
            transport
        );
        queues.MessageEncoding =
            options.Encoding == AzureQueueEncoding.Base64 ? QueueMessageEncoding.Base64 : QueueMessageEncoding.None;
        var blobs = AzureStorageAccess.Configure(
            new BlobClientOptions(BlobClientOptions.ServiceVersion.V2021_12_02),
            options.RequestTimeout,
            transport
        );
        Uri queueService;
        Uri? blobService = null;
        BlobServiceClient? account = null;
        if (options.ConnectionString is { } text)
        {
            _mayLackRights = text.Contains("SharedAccessSignature=", StringComparison.OrdinalIgnoreCase);
            _queues = new QueueServiceClient(text, queues);
            if (options.Oversize == AzureQueueOversize.ClaimCheck)
                account = new BlobServiceClient(text, blobs);
            (queueService, blobService) = (_queues.Uri, account?.Uri);
        }
        else
        {
            _mayLackRights = true;
            credential ??= AzureStorageAccess.Find(options.ClientId);
            (queueService, blobService) = (options.Endpoint!, options.BlobEndpoint);
            _queues = new QueueServiceClient(AzureStorageAccess.WithTokens(queueService, queues), credential, queues);
            if (blobService is not null)
                account = new BlobServiceClient(AzureStorageAccess.WithTokens(blobService, blobs), credential, blobs);
        }

        _claims = account?.GetBlobContainerClient(options.ClaimContainer);
        _queuesAddress = AddressOf(queueService);
        _claimsAddress = blobService is null ? "" : $"{AddressOf(blobService)}/{options.ClaimContainer}/";
    }

    /// <summary>Asks for the first queue, to check that the service answers and accepts our credentials.</summary>
    internal Task CheckAsync(CancellationToken cancellationToken) =>
        TryAsync(
            "the service does not answer as it should",
            async () =>
            {
                try
                {
                    await foreach (
                        var page in _queues
                            .GetQueuesAsync(cancellationToken: cancellationToken)
                            .AsPages(pageSizeHint: 1)
                            .ConfigureAwait(false)
                    )
                    {
                        return page.Values.Count > 0;
                    }

                    return false;
                }
                catch (RequestFailedException e)
                    when (_mayLackRights
                        && e.Status == 403
                        && e.ErrorCode?.StartsWith("Authorization", StringComparison.Ordinal) == true
                    )
                {
                    // A signature or role that may only add messages is sufficient.
                    return false;
                }
            },
            cancellationToken
        );

    /// <summary>Creates the queue, or finds it there.</summary>
    internal Task<bool> CreateAsync(string queue, CancellationToken cancellationToken) =>
        TryAsync(
            $"queue '{queue}' was not created",
            async () =>
                await Queue(queue).CreateIfNotExistsAsync(cancellationToken: cancellationToken).ConfigureAwait(false)
                    is not null,
            cancellationToken
        );

    /// <summary>Whether the queue exists.</summary>
    internal Task<bool> ExistsAsync(string queue, CancellationToken cancellationToken) =>
        TryAsync(
            $"it is unknown whether queue '{queue}' exists",
            async () =>
            {
                try
                {
                    return (await Queue(queue).ExistsAsync(cancellationToken).ConfigureAwait(false)).Value;
                }
                catch (RequestFailedException e) when (e.Status == 404 || (e.Status == 403 && _mayLackRights))
                {
                    // Without the right to ask, assume that it exists; otherwise sending reports the error.
                    return e.Status == 403;
                }
            },
            cancellationToken
        );

    /// <summary>Adds a message to the queue.</summary>
    /// <param name="queue">The queue's name.</param>
    /// <param name="text">The message's text in UTF-8, before it is encoded.</param>
    /// <param name="timeToLive">How long it is kept; <see langword="null"/> for the service's own time.</param>
    /// <param name="visibilityDelay">How long it stays hidden.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The outcome, and the service's message if it was refused.</returns>
    internal async ValueTask<(AzureQueueOutcome Outcome, string Reason)> PutAsync(
        string queue,
        ReadOnlyMemory<byte> text,
        TimeSpan? timeToLive,
        TimeSpan visibilityDelay,
        CancellationToken cancellationToken
    )
    {
        try
        {
            await Queue(queue)
                .SendMessageAsync(
                    BinaryData.FromBytes(text),
                    visibilityDelay > TimeSpan.Zero ? visibilityDelay : null,
                    Limit(timeToLive),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return (AzureQueueOutcome.Done, "");
        }
        catch (RequestFailedException e) when (e.Status == 404)
        {
            return (AzureQueueOutcome.NoQueue, $"queue '{queue}' does not exist");
        }
        catch (RequestFailedException e) when (e.Status is 400 or 413)
        {
            return (AzureQueueOutcome.Refused, $"the service refuses it: {ReasonOf(e)}");
        }
        catch (Exception e) when (IsFault(e, cancellationToken))
        {
            throw Fault($"a message to queue '{queue}' was not taken", e, cancellationToken);
        }
    }

    /// <summary>The address of a body's blob, without a signature.</summary>
    internal string AddressOfClaim(string name) => _claimsAddress + name;

    /// <summary>Stores a body as a blob; the same body under the same name again changes nothing.</summary>
    /// <returns>The blob's address, without a signature.</returns>
    internal async Task<string> PutClaimAsync(
        string name,
        ReadOnlyMemory<byte> body,
        string contentType,
        CancellationToken cancellationToken
    )
    {
        var container =
            _claims ?? throw new InvalidOperationException("The connection has no address of the blob service.");
        var upload = new BlobUploadOptions { HttpHeaders = new BlobHttpHeaders { ContentType = contentType } };
        if (
            !await TryAsync(
                    $"a blob of container '{container.Name}' was not stored",
                    () => UploadAsync(mayBeMissing: true),
                    cancellationToken
                )
                .ConfigureAwait(false)
        )
        {
            await TryAsync(
                    $"container '{container.Name}' was not created",
                    () => container.CreateIfNotExistsAsync(cancellationToken: cancellationToken),
                    cancellationToken
                )
                .ConfigureAwait(false);
            await TryAsync(
                    $"a blob of container '{container.Name}' was not stored",
                    () => UploadAsync(mayBeMissing: false),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }

        return AddressOfClaim(name);

        async Task<bool> UploadAsync(bool mayBeMissing)
        {
            try
            {
                await container
                    .GetBlobClient(name)
                    .UploadAsync(BinaryData.FromBytes(body), upload, cancellationToken)
                    .ConfigureAwait(false);
                return true;
            }
            catch (RequestFailedException e) when (e.Status == 404 && mayBeMissing)
            {
                return false;
            }
        }
    }

    private static string AddressOf(Uri service) => service.GetLeftPart(UriPartial.Path).TrimEnd('/');

    /// <summary>
    /// The library counts seconds in 32 bits. A longer time becomes -1 s, which means that the message never expires.
    /// </summary>
    private static TimeSpan? Limit(TimeSpan? timeToLive) =>
        timeToLive?.TotalSeconds > int.MaxValue ? TimeSpan.FromSeconds(-1) : timeToLive;

    private static string ReasonOf(RequestFailedException e)
    {
        var text = e.Message.AsSpan();
        var end = text.IndexOfAny('\r', '\n');
        text = (end < 0 ? text : text[..end]).Trim().TrimEnd('.');
        return string.IsNullOrEmpty(e.ErrorCode) ? text.ToString() : $"{text} ({e.ErrorCode})";
    }

    private QueueClient Queue(string name) =>
        _known.GetOrAdd(name, static (n, service) => service.GetQueueClient(n), _queues);

    private async Task<T> TryAsync<T>(string fault, Func<Task<T>> call, CancellationToken cancellationToken)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (Exception e) when (IsFault(e, cancellationToken))
        {
            throw Fault(fault, e, cancellationToken);
        }
    }

    private static bool IsFault(Exception e, CancellationToken stop) =>
        e is RequestFailedException || AzureStorageAccess.IsTokenFault(e) || AzureStorageAccess.IsOfNetwork(e, stop);

    private ConnectorException Fault(string what, Exception e, CancellationToken stop)
    {
        var (words, transient) = e switch
        {
            RequestFailedException { Status: not 0 } answer => (
                string.Create(CultureInfo.InvariantCulture, $"{what}: {ReasonOf(answer)}, status {answer.Status}"),
                AzureStorageAccess.IsTransient(answer.Status) || answer.ErrorCode == "QueueBeingDeleted"
            ),
            _ when AzureStorageAccess.IsTokenFault(e) => (
                $"no token for it: {e.Message.TrimEnd('.')}",
                IsOfNetworkWithin(e, stop)
            ),
            _ => ($"no answer: {e.Message.TrimEnd('.')}", true),
        };
        return new ConnectorException(_connection, $"Azure Queue Storage at {_queuesAddress}: {words}.", transient, e);
    }

    private static bool IsOfNetworkWithin(Exception e, CancellationToken stop)
    {
        for (var inner = e.InnerException; inner is not null; inner = inner.InnerException)
        {
            if (
                AzureStorageAccess.IsOfNetwork(inner, stop)
                || inner is RequestFailedException { Status: var status } && AzureStorageAccess.IsTransient(status)
            )
            {
                return true;
            }
        }

        return false;
    }
}
