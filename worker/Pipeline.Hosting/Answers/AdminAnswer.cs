using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Backups;
using Pipeline.Configuration.Testing;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting.Cluster;
using Pipeline.Indexing;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Hosting;

/// <summary>
/// Answers of the worker's own paths: JSON, or <c>{ "error": … }</c> with the status for the exception.
/// </summary>
internal static class AdminAnswer
{
    /// <summary>Answers with a value.</summary>
    public static async Task WriteAsync(HttpContext context, object value, int status = StatusCodes.Status200OK)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        await context
            .Response.WriteAsync(JsonSerializer.Serialize(value, JsonForms.Indented), context.RequestAborted)
            .ConfigureAwait(false);
    }

    /// <summary>Answers with a function's result, or with its error.</summary>
    /// <param name="context">The request.</param>
    /// <param name="act">Executes the request.</param>
    /// <param name="refused">The status if the worker refuses a valid request.</param>
    public static async Task DoAsync(
        HttpContext context,
        Func<CancellationToken, Task<object>> act,
        int refused = StatusCodes.Status409Conflict
    )
    {
        try
        {
            await WriteAsync(context, await act(context.RequestAborted).ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client no longer waits for the answer.
        }
        catch (Exception e) when (StatusOf(e, refused) is { } status)
        {
            await WriteAsync(context, Describe(e), status).ConfigureAwait(false);
        }
    }

    /// <inheritdoc cref="DoAsync(HttpContext, Func{CancellationToken, Task{object}}, int)"/>
    public static Task DoAsync(HttpContext context, Func<object> act) => DoAsync(context, _ => Task.FromResult(act()));

    /// <summary>A required value of the query string.</summary>
    /// <exception cref="WorkerException">The value is missing.</exception>
    public static string Required(HttpContext context, string name, string example)
    {
        var text = context.Request.Query[name].ToString();
        return text.Length > 0
            ? text
            : throw new WorkerException($"{name} is missing: ?{name}={example}", ExitCodes.Usage);
    }

    private static int? StatusOf(Exception e, int refused) =>
        e switch
        {
            ConfigurationException => StatusCodes.Status422UnprocessableEntity,
            IndexNotFoundException or SubscriptionException { Problem: SubscriptionProblem.NotFound } =>
                StatusCodes.Status404NotFound,
            DeadLetterException
            or RecordingException
            or InvalidQueryException
            or QueryException
            or InvalidDocumentIdException
            or JsonException => StatusCodes.Status400BadRequest,
            ClusterException { IsUsage: true } or WorkerException { ExitCode: ExitCodes.Usage } =>
                StatusCodes.Status400BadRequest,
            ClusterException or WorkerException => refused,
            InvalidIndexException or SubscriptionException => StatusCodes.Status409Conflict,
            DiskFullException => StatusCodes.Status507InsufficientStorage,
            BackupException or StorageException or InvalidOperationException or OperationCanceledException =>
                StatusCodes.Status503ServiceUnavailable,
            _ => null,
        };

    private static object Describe(Exception e) =>
        e switch
        {
            ConfigurationException c => new
            {
                error = "the configuration has faults; nothing was changed",
                faults = c.Diagnostics.Select(d => d.ToString()),
            },
            OperationCanceledException => new { error = "it was stopped" },
            _ => new { error = e.Message.TrimEnd('.') },
        };
}
