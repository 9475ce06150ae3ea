using System.Globalization;
using System.Text;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Pipeline.Backups.Destinations;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>What an answer of the service means to a sender.</summary>
internal enum AzureQueueOutcome
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>The queue is not there.</summary>
    NoQueue,

    /// <summary>The message is at fault.</summary>
    Refused,
}

/// <summary>The four calls of the Queue service's REST API that a sender needs. Thread-safe.</summary>
/// <remarks>
/// On Azure.Core's pipeline (retries with backoff that heed Retry-After, timeouts, proxies) and not on the Azure.Storage.Queues package, since not
/// every package feed can restore that; one client that works everywhere is tested everywhere.
/// </remarks>
internal sealed class AzureQueueClient
{
    private const string ApiVersion = "2021-12-02";

    private readonly string _connection;
    private readonly AzureStorageAccount _account;
    private readonly HttpPipeline _pipeline;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;

    internal AzureQueueClient(string connection, AzureStorageAccount account, AzureQueuesOptions options, TimeProvider time, TokenCredential? credential = null, HttpPipelineTransport? transport = null, TimeSpan? retryDelay = null)
    {
        _connection = connection;
        _account = account;
        _time = time;
        _timeout = options.RequestTimeout;
        var settings = new ClientSettings();
        settings.Retry.MaxRetries = 3;
        settings.Retry.Delay = retryDelay ?? TimeSpan.FromMilliseconds(400);
        settings.Retry.MaxDelay = TimeSpan.FromSeconds(10);
        settings.Retry.NetworkTimeout = options.RequestTimeout;
        settings.Diagnostics.IsTelemetryEnabled = false;
        settings.Diagnostics.ApplicationId = "pipeline";
        if (transport is not null) settings.Transport = transport;
        HttpPipelinePolicy[] each = account.Key is { } key ? [new SharedKeyPolicy(account.Name, key, time)] : credential is null ? [] : AzureStorageIdentity.PoliciesOf(credential);
        _pipeline = HttpPipelineBuilder.Build(settings, each);
    }

    /// <summary>Asks for the first queue, to see that the service answers and knows us.</summary>
    internal async Task CheckAsync(CancellationToken cancellationToken)
    {
        var (response, code, text) = await SendAsync(RequestMethod.Get, "", "comp=list&maxresults=1", null, cancellationToken).ConfigureAwait(false);

        // A signature, or a role, that may only add messages is as good for our purpose.
        if (response == 200 || (_account.Key is null && response == 403 && code.StartsWith("Authorization", StringComparison.Ordinal))) return;
        throw Fault("the service does not answer as it should", response, code, text);
    }

    /// <summary>Creates the queue, or finds it there.</summary>
    internal async Task<bool> CreateAsync(string queue, CancellationToken cancellationToken)
    {
        var (response, code, text) = await SendAsync(RequestMethod.Put, "/" + queue, "", null, cancellationToken).ConfigureAwait(false);
        if (response is 201 or 204) return response == 201;
        return response == 409 && code == "QueueAlreadyExists" ? false : throw Fault($"queue '{queue}' was not created", response, code, text);
    }

    /// <summary>Whether the queue is there.</summary>
    internal async Task<bool> ExistsAsync(string queue, CancellationToken cancellationToken)
    {
        var (response, code, text) = await SendAsync(RequestMethod.Get, "/" + queue, "comp=metadata", null, cancellationToken).ConfigureAwait(false);
        return response switch
        {
            200 => true,
            404 => false,
            403 when _account.Key is null => true, // it may be there: sending tells
            _ => throw Fault($"queue '{queue}' was not found out about", response, code, text),
        };
    }

    /// <summary>Adds a message to the queue.</summary>
    /// <returns>What became of it, and the service's words where it was refused.</returns>
    internal async Task<(AzureQueueOutcome Outcome, string Reason)> PutAsync(
        string queue, ReadOnlyMemory<byte> body, TimeSpan? timeToLive, TimeSpan visibilityDelay, CancellationToken cancellationToken)
    {
        var query = new StringBuilder();
        if (timeToLive is { } kept) query.Append(CultureInfo.InvariantCulture, $"messagettl={(long)kept.TotalSeconds}");
        if (visibilityDelay > TimeSpan.Zero) query.Append(query.Length > 0 ? "&" : "").Append(CultureInfo.InvariantCulture, $"visibilitytimeout={(long)visibilityDelay.TotalSeconds}");
        var (response, code, text) = await SendAsync(RequestMethod.Post, $"/{queue}/messages", query.ToString(), body, cancellationToken).ConfigureAwait(false);
        return response switch
        {
            201 => (AzureQueueOutcome.Done, ""),
            404 => (AzureQueueOutcome.NoQueue, $"queue '{queue}' does not exist"),
            400 or 413 => (AzureQueueOutcome.Refused, $"the service refuses it: {Words(code, text)}"),
            _ => throw Fault($"a message to queue '{queue}' was not taken", response, code, text),
        };
    }

    /// <summary>The address that a blob has, without a signature.</summary>
    internal string AddressOf(string container, string name) => $"{_account.Blobs}/{container}/{name}";

    /// <summary>Stores a body as a blob; the same body under the same name again changes nothing.</summary>
    /// <returns>The blob's address, without a signature.</returns>
    internal async Task<string> PutBlobAsync(string container, string name, ReadOnlyMemory<byte> body, string contentType, CancellationToken cancellationToken)
    {
        var place = AddressOf(container, name);
        for (var first = true; ; first = false)
        {
            var (response, code, text) = await SendAsync(RequestMethod.Put, place, "", body, cancellationToken, contentType, ("x-ms-blob-type", "BlockBlob")).ConfigureAwait(false);
            if (response == 201) return place;
            if (response != 404 || !first) throw Fault($"a blob of container '{container}' was not stored", response, code, text);
            (response, code, text) = await SendAsync(RequestMethod.Put, $"{_account.Blobs}/{container}", "restype=container", null, cancellationToken).ConfigureAwait(false);
            if (response != 201 && code != "ContainerAlreadyExists") throw Fault($"container '{container}' was not created", response, code, text);
        }
    }

    private async Task<(int Status, string Code, string Text)> SendAsync(
        RequestMethod method, string path, string query, ReadOnlyMemory<byte>? body, CancellationToken cancellationToken, string contentType = "application/xml", (string Name, string Value)? header = null)
    {
        using var message = _pipeline.CreateMessage();
        message.NetworkTimeout = _timeout;
        var request = message.Request;
        request.Method = method;
        var parameters = string.Join('&', new[] { query, _account.Signature }.Where(p => !string.IsNullOrEmpty(p)));
        var place = path.StartsWith("http", StringComparison.Ordinal) ? path : _account.Queues + path;
        request.Uri.Reset(new Uri(place + (parameters.Length > 0 ? "?" + parameters : "")));
        request.Headers.SetValue("x-ms-version", ApiVersion);
        request.Headers.SetValue("x-ms-date", _time.GetUtcNow().ToString("R", CultureInfo.InvariantCulture));
        if (body is { } content)
        {
            request.Headers.SetValue("Content-Type", contentType);
            if (header is var (name, value)) request.Headers.SetValue(name, value);
            request.Content = RequestContent.Create(content);
        }

        try
        {
            await _pipeline.SendAsync(message, cancellationToken).ConfigureAwait(false);
            var response = message.Response;
            if (response.Status < 300) return (response.Status, "", "");
            return (response.Status, response.Headers.TryGetValue("x-ms-error-code", out var code) ? code : "", await ReadAsync(response, cancellationToken).ConfigureAwait(false));
        }
        catch (Exception e) when (IsOfTheNetwork(e, cancellationToken))
        {
            var cause = e is AggregateException { InnerExceptions: [.., var last] } ? last : e;
            throw new ConnectorException(_connection, $"Azure Queue Storage at {_account.Queues}: no answer: {cause.Message.TrimEnd('.')}.", isTransient: true, e);
        }
        catch (Exception e) when (AzureStorageIdentity.IsFault(e))
        {
            throw new ConnectorException(_connection, $"Azure Queue Storage at {_account.Queues}: no token for it: {e.Message.TrimEnd('.')}.", IsOfTheNetworkWithin(e, cancellationToken), e);
        }
    }

    private static bool IsOfTheNetworkWithin(Exception e, CancellationToken stop)
    {
        for (var inner = e.InnerException; inner is not null; inner = inner.InnerException)
        {
            if (IsOfTheNetwork(inner, stop) && inner is not RequestFailedException { Status: >= 400 and < 500 and not (408 or 429) }) return true;
        }

        return false;
    }

    private static bool IsOfTheNetwork(Exception e, CancellationToken stop) => e switch
    {
        OperationCanceledException => !stop.IsCancellationRequested,
        RequestFailedException or IOException or HttpRequestException => true,
        AggregateException all => all.InnerExceptions.All(i => IsOfTheNetwork(i, stop)),
        _ => false,
    };

    private static async Task<string> ReadAsync(Response response, CancellationToken cancellationToken)
    {
        if (response.ContentStream is not { } stream) return response.ReasonPhrase;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        var buffer = new char[4_096];
        var length = await reader.ReadBlockAsync(buffer, cancellationToken).ConfigureAwait(false);
        var text = new string(buffer, 0, length);
        var start = text.IndexOf("<Message>", StringComparison.Ordinal);
        var end = text.IndexOf("</Message>", StringComparison.Ordinal);
        return start >= 0 && end > start ? text[(start + 9)..end].Split('\n')[0].Trim() : response.ReasonPhrase;
    }

    private static string Words(string code, string text) => code.Length > 0 ? $"{text.TrimEnd('.')} ({code})" : text.TrimEnd('.');

    /// <summary>The statuses that Azure's documentation tells clients to try again after, and a queue that is just being deleted.</summary>
    private ConnectorException Fault(string what, int status, string code, string text)
    {
        var transient = status is 408 or 429 or >= 500 || code == "QueueBeingDeleted";
        return new ConnectorException(_connection, string.Create(CultureInfo.InvariantCulture, $"Azure Queue Storage at {_account.Queues}: {what}: {Words(code, text)}, status {status}."), transient);
    }

    private sealed class ClientSettings : ClientOptions;
}
