using Microsoft.AspNetCore.Http;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary><c>from … update { … }</c>: an operation that runs a script on every document that a query finds.</summary>
internal static class QueryPatch
{
    private const int PatchBatch = 256;
    private const int DefaultSample = 10;
    private const int MaxSample = 100;

    /// <summary>Starts the operation.</summary>
    public static async Task StartAsync(DatabaseRequest request)
    {
        var asked = QueryOperation.Query(
            BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root
        );
        var query = QueryBody.Read(asked);
        var update = UpdateQuery.Parse(query.Text);
        var patch = new DocumentPatch(PatchScripts.Compile(update.Script), PatchBody.Values(asked["QueryParameters"]));
        await QueryOperation
            .StartAsync(
                request,
                query with
                {
                    Text = update.Selection,
                },
                PatchBatch,
                (transaction, id) => transaction.Patch(id, patch)
            )
            .ConfigureAwait(false);
    }

    /// <summary>
    /// <c>queries/try</c> with <c>{ Query: { Query, QueryParameters }, Sample }</c>: what the script would do to the
    /// first documents of the query, each before and after. Nothing is stored. Not part of RavenDB's protocol.
    /// </summary>
    public static async Task TryAsync(DatabaseRequest request)
    {
        var root = BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root;
        var asked = QueryOperation.Query(root);
        var query = QueryBody.Read(asked);
        var update = UpdateQuery.Parse(query.Text);
        var patch = new DocumentPatch(PatchScripts.Compile(update.Script), PatchBody.Values(asked["QueryParameters"]));
        var sample = root["Sample"].TryGetInt64(out var wanted) ? (int)Math.Clamp(wanted, 1, MaxSample) : DefaultSample;
        var found = await request
            .Database.QueryAsync(
                query with
                {
                    Text = update.Selection,
                    Take = sample,
                    Wait = query.Wait ?? new IndexWait(IndexWait.DefaultTimeout),
                },
                request.Aborted
            )
            .ConfigureAwait(false);
        using var snapshot = request.Database.OpenSnapshot("patch preview");
        List<(PatchTrial Trial, string? Error)> trials =
        [
            .. found.Items.Select(i => i.Id).OfType<string>().Select(id => Try(request, snapshot, id, patch)),
        ];
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("TotalResults", found.Total);
                    answer.Json.WriteStartArray("Results");
                    foreach (var (trial, error) in trials)
                        Write(answer, trial, error);
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static (PatchTrial Trial, string? Error) Try(
        DatabaseRequest request,
        DatabaseSnapshot snapshot,
        string id,
        DocumentPatch patch
    )
    {
        try
        {
            var trial = PatchTrial.Run(snapshot, id, patch, request.Served.Time.GetUtcNow(), request.Aborted);
            request.Memory.Hold((trial.Before?.Bytes ?? 0) + (trial.After?.Length ?? 0));
            return (trial, null);
        }
        catch (Exception e) when (e is ScriptRuntimeException or ConcurrencyException)
        {
            return (new PatchTrial { Id = id }, e.Message);
        }
    }

    private static void Write(JsonAnswer answer, PatchTrial trial, string? error)
    {
        var json = answer.Json;
        json.WriteStartObject();
        json.WriteString("Id", trial.Id);
        json.WriteString(
            "Status",
            error is not null ? "Failed"
                : trial.IsDeleted ? "Deleted"
                : trial.After is null ? nameof(PatchStatus.NotModified)
                : nameof(PatchStatus.Patched)
        );
        json.WriteString("Error", error);
        json.WritePropertyName("Before");
        answer.Document(trial.Before);
        json.WritePropertyName("After");
        if (trial.After is { } after)
            json.WriteRawValue(after.Span, skipInputValidation: true);
        else
            json.WriteNullValue();
        json.WriteStartArray("Others");
        foreach (
            var (id, isDeleted) in trial.Stored.Select(s => (s, false)).Concat(trial.Deleted.Select(d => (d, true)))
        )
        {
            json.WriteStartObject();
            json.WriteString("Id", id);
            json.WriteBoolean("IsDeleted", isDeleted);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteStartArray("Output");
        foreach (var line in trial.Output)
            json.WriteStringValue(line);
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
