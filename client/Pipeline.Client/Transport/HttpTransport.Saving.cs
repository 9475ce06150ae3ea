using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;

namespace Pipeline.Client.Transport;

internal sealed partial class HttpTransport
{
    private const int StatusTooLarge = 413;
    private const int StatusDiskFull = 507;
    private static readonly TimeSpan FirstPoll = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan LastPoll = TimeSpan.FromMilliseconds(500);

    public async Task<long> ChangeByQueryAsync(RqlQuery query, bool deletes, CancellationToken cancellationToken)
    {
        long id;
        try
        {
            var started = await SendAsync(
                    deletes ? HttpMethod.Delete : HttpMethod.Patch,
                    "/queries",
                    Body(query),
                    query.Text,
                    isFound: true,
                    cancellationToken
                )
                .ConfigureAwait(false);
            using var json = JsonDocument.Parse(started);
            id = json.RootElement.GetProperty("OperationId").GetInt64();
        }
        catch (ServerException e) when (e.Status == (int)HttpStatusCode.BadRequest)
        {
            throw new QueryException(e.Message, query.Text, e);
        }

        try
        {
            return await EndAsync(id, query.Text, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            await StopAsync(id).ConfigureAwait(false);
            throw;
        }
        finally
        {
            _hasUnknownWrites = true;
        }
    }

    public IBulkWriter OpenBulk() => new HttpBulkWriter(SendBulkAsync);

    /// <summary>
    /// A server that refuses a document answers before it has the rest, and closes the connection soon after. The answer
    /// is lost when more is sent then, so the server is asked how the operation ended.
    /// </summary>
    private async Task SendBulkAsync(HttpContent content, CancellationToken cancellationToken)
    {
        var id = await NextOperationAsync(cancellationToken).ConfigureAwait(false);
        var path = string.Create(CultureInfo.InvariantCulture, $"/bulk_insert?id={id}");
        using var request = LongRequest(path, content);
        try
        {
            using var response = await ReachAsync(request, HttpCompletionOption.ResponseContentRead, cancellationToken)
                .ConfigureAwait(false);
            if (!response.IsSuccessStatusCode)
                throw await HttpErrors.ReadAsync(response, null, cancellationToken).ConfigureAwait(false);
        }
        catch (ServerException lost) when (lost.Status == 0)
        {
            if (await RefusalAsync(id, cancellationToken).ConfigureAwait(false) is { } refusal)
                throw refusal;
            throw;
        }
        finally
        {
            _hasUnknownWrites = true;
        }
    }

    /// <summary>
    /// A request that may take long to send. It waits until the server wants its body, so that a refusal comes before it.
    /// </summary>
    private HttpRequestMessage LongRequest(string path, HttpContent content)
    {
        var request = Request(HttpMethod.Post, path, null);
        request.Content = content;
        request.Headers.ExpectContinue = true;
        return request;
    }

    private async ValueTask<long> NextOperationAsync(CancellationToken cancellationToken)
    {
        var answer = await GetAsync("/operations/next-operation-id", cancellationToken).ConfigureAwait(false);
        using var json = JsonDocument.Parse(answer);
        return json.RootElement.GetProperty("Id").GetInt64();
    }

    /// <summary>
    /// Why the server refused an operation; null if it does not say. That it is completed proves nothing: after a restart
    /// of the server, another operation may have its number. That its connection was lost is no refusal; such errors have
    /// the type that all errors share.
    /// </summary>
    private async Task<Exception?> RefusalAsync(long id, CancellationToken cancellationToken)
    {
        try
        {
            using var state = await StateAsync(id, cancellationToken).ConfigureAwait(false);
            if (AnswerReader.Text(state.RootElement, "Status") != "Faulted")
                return null;
            var result = state.RootElement.GetProperty("Result");
            return
                AnswerReader.Text(result, "Type")?.EndsWith(".RavenException", StringComparison.Ordinal) == true
                && result.GetProperty("StatusCode").GetInt32() != StatusDiskFull
                ? null
                : Failure(result, null);
        }
        catch (ServerException)
        {
            return null;
        }
    }

    /// <summary>Sends commands with the contents of their attachments.</summary>
    private async ValueTask<ReadOnlyMemory<byte>> SendActionsAsync(
        byte[] body,
        IReadOnlyList<SaveAction> actions,
        CancellationToken cancellationToken
    )
    {
        List<AttachmentPut> attachments = [.. actions.OfType<AttachmentPut>()];
        if (attachments.Count == 0)
        {
            return await SendAsync(HttpMethod.Post, "/bulk_docs", body, null, isFound: true, cancellationToken)
                .ConfigureAwait(false);
        }

        using var form = new MultipartFormDataContent
        {
            {
                new ByteArrayContent(body) { Headers = { ContentType = new MediaTypeHeaderValue("application/json") } },
                "main"
            },
        };
        for (var i = 0; i < attachments.Count; i++)
        {
            form.Add(
                new BorrowedContent(attachments[i].Open()) { Headers = { { "Command-Type", "AttachmentStream" } } },
                string.Create(CultureInfo.InvariantCulture, $"attachment{i}")
            );
        }

        using var request = LongRequest("/bulk_docs", form);
        using var response = await ReachAsync(request, HttpCompletionOption.ResponseContentRead, cancellationToken)
            .ConfigureAwait(false);
        if (response.IsSuccessStatusCode)
            return await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
        var error = await HttpErrors.ReadAsync(response, null, cancellationToken).ConfigureAwait(false);
        throw error is ServerException { Status: StatusTooLarge }
            ? new AttachmentSaveException(error.Message, error)
            : error;
    }

    /// <summary>Waits for the end of an operation.</summary>
    private async Task<long> EndAsync(long id, string query, CancellationToken cancellationToken)
    {
        for (var wait = FirstPoll; ; wait = wait < LastPoll ? 2 * wait : LastPoll)
        {
            using var state = await StateAsync(id, cancellationToken).ConfigureAwait(false);
            var result = state.RootElement.GetProperty("Result");
            switch (AnswerReader.Text(state.RootElement, "Status"))
            {
                case "Completed":
                    return result.GetProperty("Total").GetInt64();
                case "Faulted":
                    throw Failure(result, query);
                case "Canceled":
                    throw new ServerException("the operation was stopped at the server", 0);
            }

            await Task.Delay(wait, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<JsonDocument> StateAsync(long id, CancellationToken cancellationToken) =>
        JsonDocument.Parse(
            await GetAsync(string.Create(CultureInfo.InvariantCulture, $"/operations/state?id={id}"), cancellationToken)
                .ConfigureAwait(false)
        );

    /// <summary>The error of an operation that failed.</summary>
    private static Exception Failure(JsonElement result, string? query)
    {
        var (type, message) = (
            AnswerReader.Text(result, "Type"),
            AnswerReader.Text(result, "Message") ?? "the operation failed"
        );
        return query is not null && type?.Contains("InvalidQuery", StringComparison.Ordinal) == true
            ? new QueryException(message, query)
            : HttpErrors.OfType(type, message)
                ?? new ServerException(message, result.GetProperty("StatusCode").GetInt32());
    }

    /// <summary>Has the server stop an operation; one that cannot be stopped ends by itself.</summary>
    private async Task StopAsync(long id)
    {
        try
        {
            await SendAsync(
                    HttpMethod.Post,
                    string.Create(CultureInfo.InvariantCulture, $"/operations/kill?id={id}"),
                    null,
                    null,
                    isFound: false,
                    _closed.Token
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is PipelineClientException or OperationCanceledException)
        {
            // The caller sees the cancellation instead.
        }
    }
}
