using System.Net;
using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>Turns answers without success into the client's exceptions.</summary>
internal static class HttpErrors
{
    /// <summary>The error that an answer tells.</summary>
    /// <param name="response">An answer without success.</param>
    /// <param name="query">The text of the query that was sent, if any.</param>
    /// <param name="cancellationToken">Cancels reading.</param>
    public static async ValueTask<Exception> ReadAsync(
        HttpResponseMessage response,
        string? query,
        CancellationToken cancellationToken
    )
    {
        var text = await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
        string? message = null,
            type = null;
        try
        {
            using var json = JsonDocument.Parse(text);
            if (json.RootElement.ValueKind == JsonValueKind.Object)
            {
                (message, type) = (
                    AnswerReader.Text(json.RootElement, "Message"),
                    AnswerReader.Text(json.RootElement, "Type")
                );
            }

            if (
                json.RootElement.ValueKind == JsonValueKind.Object
                && AnswerReader.Text(json.RootElement, "Problem") is { } problem
            )
            {
                return new SubscriptionException(
                    AnswerReader.Text(json.RootElement, "Subscription") ?? "",
                    SubscriptionMessages.Problem(problem),
                    message ?? problem
                );
            }
        }
        catch (JsonException)
        {
            message = text.Length is > 0 and < 500 ? text : null;
        }

        message ??= $"the server answered with status {(int)response.StatusCode}";
        if (response.StatusCode == HttpStatusCode.Conflict)
            return new ConcurrencyException(message);
        if (
            query is not null
            && (
                type?.Contains("InvalidQuery", StringComparison.Ordinal) == true
                || type?.EndsWith("IndexDoesNotExistException", StringComparison.Ordinal) == true
            )
        )
        {
            return new QueryException(message, query);
        }

        return OfType(type, message)
            ?? new ServerException(message, (int)response.StatusCode)
            {
                IsDatabaseMissing = response.Headers.Contains("Database-Missing"),
            };
    }

    /// <summary>The exception of an error type that a server names; null for other types.</summary>
    public static PipelineClientException? OfType(string? type, string message) =>
        type switch
        {
            not null when type.EndsWith("JavaScriptException", StringComparison.Ordinal) => new PatchException(message),
            not null
                when type.EndsWith("AttachmentDoesNotExistException", StringComparison.Ordinal)
                    || type.EndsWith("DocumentDoesNotExistException", StringComparison.Ordinal) =>
                new AttachmentSaveException(message),
            _ => null,
        };
}
