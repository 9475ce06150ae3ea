using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Server.Cluster;
using Pipeline.Server.Errors;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Answers;

/// <summary>
/// Errors in the form that RavenDB's clients turn into their exceptions: a status, and the .NET name of the exception.
/// </summary>
internal static class ErrorAnswer
{
    private const string Raven = "Raven.Client.Exceptions.";

    /// <summary>The most characters of a message: it may quote what the client has sent.</summary>
    private const int MaxMessage = 16 << 10;

    /// <summary>Runs the handler of a request; if it fails, the error is the answer.</summary>
    public static Task GuardAsync(HttpContext context, ILogger logger, Func<Task> answer) =>
        GuardAsync(context, logger, answer, static run => run());

    /// <summary>
    /// As the other, for frequent requests: a static handler with a state allocates no delegate for each request.
    /// </summary>
    public static async Task GuardAsync<T>(HttpContext context, ILogger logger, T state, Func<T, Task> answer)
    {
        try
        {
            await answer(state).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
#pragma warning disable CA1031 // Any error is sent to the client.
        catch (Exception e)
#pragma warning restore CA1031
        {
            await WriteAsync(context, e, logger).ConfigureAwait(false);
        }
    }

    /// <summary>Answers a request with an error.</summary>
    public static async Task WriteAsync(HttpContext context, Exception error, ILogger logger)
    {
        var (status, type) = Kind(error);
        // Of a deletion clients read 404 as an answer, and then miss its body.
        if (error is IndexNotFoundException && HttpMethods.IsDelete(context.Request.Method))
            status = StatusCodes.Status400BadRequest;
        if (error is AccessDeniedException)
            ServerMetrics.Refused.Add(1);
        if (
            status >= StatusCodes.Status500InternalServerError
            && (error is BulkInsertException { InnerException: { } cause } ? cause : error)
                is not (
                    DiskFullException
                    or DatabaseMissingException
                    or DatabaseDisabledException
                    or UnsupportedException
                    or TimeoutException
                    or NotLeaderException
                    or NotAcceptedException
                    or NotLeadingException
                    or LeaderLostException
                )
        )
        {
            ServerLog.RequestFailed(logger, context.Request.Method, context.Request.Path, error);
        }

        if (context.Response.HasStarted)
        {
            // Half an answer must not look like a whole one.
            context.Abort();
            return;
        }
        context.Response.Headers.ETag = default;
        context.Response.Headers.ContentDisposition = default;
        context.Response.ContentLength = null;
        context.Response.StatusCode = status;
        context.Response.ContentType = JsonAnswer.ContentType;
        if (error is DatabaseMissingException missing)
            context.Response.Headers["Database-Missing"] = Uri.EscapeDataString(missing.Name);
        if (
            error
            is RequestMemoryException { IsOfAll: true }
                or TooManyQueriesException
                or NotLeaderException
                or NotAcceptedException
                or NotLeadingException
                or LeaderLostException
        )
        {
            context.Response.Headers.RetryAfter = "1";
        }
        using var answer = new JsonAnswer();
        Write(answer, context.Request.Path + context.Request.QueryString, error, type);
        await context.Response.Body.WriteAsync(answer.Complete(), context.RequestAborted).ConfigureAwait(false);
    }

    /// <summary>The status that belongs to an error.</summary>
    public static int StatusOf(Exception error) => Kind(error).Status;

    /// <summary>The name by which clients know an error.</summary>
    public static string TypeOf(Exception error) => Kind(error).Type;

    private static void Write(JsonAnswer answer, string url, Exception error, string type)
    {
        var json = answer.Json;
        var message = error.Message.Length > MaxMessage ? $"{error.Message.AsSpan(0, MaxMessage)}…" : error.Message;
        json.WriteStartObject();
        json.WriteString("Url", url);
        json.WriteString("Type", type);
        json.WriteString("Message", message);
        json.WriteString("Error", $"{type}: {message}");
        if (error is ConcurrencyException concurrency)
        {
            json.WriteString("Id", concurrency.Id);
            json.WriteString("ExpectedChangeVector", concurrency.Expected);
            json.WriteString("ActualChangeVector", concurrency.Actual);
        }
        if (error is SubscriptionException subscription)
        {
            json.WriteString("Subscription", subscription.Subscription);
            json.WriteString("Problem", subscription.Problem.ToString());
        }
        json.WriteEndObject();
    }

    private static string TypeOf(SubscriptionException error) =>
        error.Problem switch
        {
            SubscriptionProblem.NotFound or SubscriptionProblem.Deleted =>
                "Documents.Subscriptions.SubscriptionDoesNotExistException",
            SubscriptionProblem.InUse or SubscriptionProblem.TakenOver =>
                "Documents.Subscriptions.SubscriptionInUseException",
            SubscriptionProblem.Invalid => error.Faults.Any(f => f.Part == SubscriptionPart.Query)
                ? "InvalidQueryException"
                : "BadRequestException",
            SubscriptionProblem.Failed => "Documents.Subscriptions.SubscriptionInvalidStateException",
            _ => "Documents.Subscriptions.SubscriptionClosedException",
        };

    private static (int Status, string Type) Kind(Exception error) =>
        error switch
        {
            BulkInsertException { InnerException: { } cause } => Kind(cause),
            // No other node has more room, so this is none of the statuses on which clients turn to one.
            DiskFullException => (StatusCodes.Status507InsufficientStorage, Raven + "RavenException"),
            DatabaseMissingException => (
                StatusCodes.Status503ServiceUnavailable,
                Raven + "Database.DatabaseDoesNotExistException"
            ),
            // Clients turn to another node on this status.
            NotLeaderException or NotAcceptedException or NotLeadingException or LeaderLostException => (
                StatusCodes.Status503ServiceUnavailable,
                Raven + "RavenException"
            ),
            DatabaseLockedException => (StatusCodes.Status400BadRequest, Raven + "BadRequestException"),
            DatabaseDisabledException or ObjectDisposedException => (
                StatusCodes.Status503ServiceUnavailable,
                Raven + "Database.DatabaseDisabledException"
            ),
            AccessDeniedException or DatabaseNotOwnedException => (
                StatusCodes.Status403Forbidden,
                Raven + "Security.AuthorizationException"
            ),
            ConcurrencyException or DatabaseExistsException => (
                StatusCodes.Status409Conflict,
                Raven + "ConcurrencyException"
            ),
            ClusterTransactionException => (
                StatusCodes.Status409Conflict,
                Raven + "ClusterTransactionConcurrencyException"
            ),
            CompareExchangeKeyException => (
                StatusCodes.Status400BadRequest,
                Raven + "CompareExchangeKeyTooBigException"
            ),
            CompareExchangeException => (StatusCodes.Status409Conflict, Raven + "ConcurrencyException"),
            // Not 404: clients read that as an answer, and then miss its body.
            AttachmentException { Kind: AttachmentProblem.NoDocument } => (
                StatusCodes.Status400BadRequest,
                Raven + "Documents.DocumentDoesNotExistException"
            ),
            AttachmentException { Kind: AttachmentProblem.NoAttachment } => (
                StatusCodes.Status400BadRequest,
                Raven + "Documents.Attachments.AttachmentDoesNotExistException"
            ),
            AttachmentException { Kind: AttachmentProblem.TooLarge } => (
                StatusCodes.Status413PayloadTooLarge,
                Raven + "BadRequestException"
            ),
            AttachmentException => (StatusCodes.Status400BadRequest, Raven + "BadRequestException"),
            InvalidQueryException or QueryException => (
                StatusCodes.Status400BadRequest,
                Raven + "InvalidQueryException"
            ),
            IndexNotFoundException => (
                StatusCodes.Status404NotFound,
                Raven + "Documents.Indexes.IndexDoesNotExistException"
            ),
            AutoIndexLimitException => (StatusCodes.Status400BadRequest, Raven + "InvalidQueryException"),
            InvalidIndexException => (
                StatusCodes.Status400BadRequest,
                Raven + "Documents.Compilation.IndexCompilationException"
            ),
            IndexFailedException => (
                StatusCodes.Status500InternalServerError,
                Raven + "Documents.Indexes.IndexInvalidException"
            ),
            RequestMemoryException memory => (
                memory.IsOfAll ? StatusCodes.Status429TooManyRequests : StatusCodes.Status413PayloadTooLarge,
                Raven + "BadRequestException"
            ),
            TooManyQueriesException => (StatusCodes.Status429TooManyRequests, Raven + "BadRequestException"),
            // Kestrel's word for a chunk whose size is no number.
            IOException { InnerException: OverflowException } => (
                StatusCodes.Status400BadRequest,
                Raven + "BadRequestException"
            ),
            BadRequestException
            or JsonFormatException
            or System.Text.Json.JsonException
            or InvalidDocumentIdException
            or InvalidCollectionException
            or InvalidDatabaseNameException
            or TooManyDatabasesException
            or ArgumentException
            or FormatException => (StatusCodes.Status400BadRequest, Raven + "BadRequestException"),
            // A value of another kind than the one that is read: "Id": {}.
            InvalidOperationException { Source: "System.Text.Json" or "System.Text.Json.Rethrowable" } => (
                StatusCodes.Status400BadRequest,
                Raven + "BadRequestException"
            ),
            InvalidOperationException { InnerException: System.Text.DecoderFallbackException } => (
                StatusCodes.Status400BadRequest,
                Raven + "BadRequestException"
            ),
            OperationCanceledException => (StatusCodes.Status400BadRequest, "System.OperationCanceledException"),
            BadHttpRequestException bad => (bad.StatusCode, Raven + "BadRequestException"),
            SubscriptionException { Problem: SubscriptionProblem.Exists } => (
                StatusCodes.Status409Conflict,
                Raven + "ConcurrencyException"
            ),
            SubscriptionException subscription => (StatusCodes.Status400BadRequest, Raven + TypeOf(subscription)),
            ScriptRuntimeException => (
                StatusCodes.Status400BadRequest,
                Raven + "Documents.Patching.JavaScriptException"
            ),
            UnsupportedException => (StatusCodes.Status501NotImplemented, "System.NotSupportedException"),
            IndexWaitException => (StatusCodes.Status500InternalServerError, Raven + "RavenTimeoutException"),
            TimeoutException => (StatusCodes.Status500InternalServerError, "System.TimeoutException"),
            _ => (StatusCodes.Status500InternalServerError, Raven + "RavenException"),
        };
}
