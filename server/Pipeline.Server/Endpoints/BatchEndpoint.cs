using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>bulk_docs</c>: saves a session's changes in one commit, or none of them.</summary>
internal static class BatchEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Add(DatabaseRoutes routes) =>
        routes.Add("POST", "/bulk_docs", DatabaseAccess.ReadWrite, PostAsync);

    private static async Task PostAsync(DatabaseRequest request)
    {
        var sent = await SessionBody.ReadAsync(request).ConfigureAwait(false);
        await using var given = sent.ConfigureAwait(false);
        var batch = BatchCommands.Read(sent.Json.Span, sent.Contents, request.Served.Record.IdSeparator);
        var guards = !request.Flag("disableAtomicDocumentWrites");
        var results = await batch.ExecuteAsync(request.Database, guards, request.Aborted).ConfigureAwait(false);
        await WaitForIndexesAsync(request, results).ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status201Created,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteStartArray("Results");
                    for (var i = 0; i < results.Count; i++)
                    {
                        Write(
                            answer,
                            batch.Requests[i],
                            results[i],
                            collection => request.Database.Revisions.Configuration.Find(collection) is { Enabled: true }
                        );
                    }

                    answer.Json.WriteEndArray();

                    // If this is missing, clients assume that the server does not support such sessions.
                    if (batch.IsClusterWide)
                        answer.Json.WriteNumber("TransactionIndex", Math.Max(1, request.Database.LastPosition));
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static void Write(
        JsonAnswer answer,
        SessionBatch.Asked asked,
        CommandResult result,
        Func<string, bool> keepsVersions
    )
    {
        var json = answer.Json;
        json.WriteStartObject();
        json.WriteString("Type", asked.Type);
        if (asked.Type == "ForceRevisionCreation")
            json.WriteBoolean("RevisionCreated", result.Put is not null);
        if (result.Put is { } put)
        {
            json.WriteString("@id", put.Id);
            json.WriteString("@collection", put.Collection);
            json.WriteString("@change-vector", put.ChangeVector);
            json.WriteString("@last-modified", JsonAnswer.Time(put.LastModified));
            if (keepsVersions(put.Collection))
                json.WriteString("@flags", nameof(DocumentFlags.HasRevisions));
        }
        else if (result.Patch is { } patch)
        {
            WritePatch(answer, patch, asked.ReturnsDocument);
        }
        else if (result.CompareExchange is { } exchanged)
        {
            json.WriteString("Key", result.Id);
            json.WriteNumber("Index", exchanged.Index);
        }
        else if (asked.Name is not null)
        {
            WriteAttachment(json, asked, result);
        }
        else
        {
            json.WriteString("Id", result.Id);
            json.WriteBoolean("Deleted", result.Deleted);
            json.WriteNull("ChangeVector");
        }
        json.WriteEndObject();
    }

    private static void WritePatch(JsonAnswer answer, PatchResult patch, bool returnsDocument)
    {
        var json = answer.Json;
        json.WriteString("Id", patch.Document?.Id ?? patch.Id);
        json.WriteString("PatchStatus", PatchBody.StatusOf(patch));
        json.WriteString("ChangeVector", patch.Document?.ChangeVector);
        if (patch.Document is not { } document)
            return;
        json.WriteString("LastModified", JsonAnswer.Time(document.LastModified));
        if (!returnsDocument)
            return;
        json.WritePropertyName("ModifiedDocument");
        answer.Document(document);
    }

    private static void WriteAttachment(Utf8JsonWriter json, SessionBatch.Asked asked, CommandResult result)
    {
        // For a copy clients get the target; for a move they also get the source.
        var (id, name) = asked.Type == "AttachmentCOPY" ? (asked.ToId, asked.ToName) : (asked.Id, asked.Name);
        json.WriteString("Id", id);
        json.WriteString("@id", id);
        json.WriteString("Name", name);
        if (asked.ToId is not null)
        {
            json.WriteString("DestinationId", asked.ToId);
            json.WriteString("DestinationName", asked.ToName);
        }
        if (result.Attachment is { } attachment)
            AttachmentEndpoints.WriteContent(json, attachment);
        json.WriteString("DocumentChangeVector", result.DocumentChangeVector);
    }

    private static async Task WaitForIndexesAsync(DatabaseRequest request, IReadOnlyList<CommandResult> results)
    {
        if (request.Text("waitForIndexesTimeout") is not { } text || results.Count == 0)
            return;
        var deadline = request.Served.Time.GetUtcNow() + QueryBody.Time(text);
        var named = request.Texts("waitForSpecificIndex");

        // Deletions do not return a position, but the last durable position is at least theirs.
        var last = results.Any(r => r.Deleted)
            ? request.Database.LastPosition
            : results.Max(r => r.Put?.Position ?? r.Patch?.Document?.Position ?? 0);
        foreach (
            var index in request
                .Database.Indexes.List()
                .Where(i => named.Count == 0 || named.Contains(i.Name, StringComparer.OrdinalIgnoreCase))
        )
        {
            var left = deadline - request.Served.Time.GetUtcNow();
            bool fresh;
            try
            {
                fresh = await request
                    .Database.Indexes.WaitAsync(
                        index.Name,
                        last == 0 ? null : last,
                        left > TimeSpan.Zero ? left : TimeSpan.Zero,
                        request.Aborted
                    )
                    .ConfigureAwait(false);
            }
            catch (IndexNotFoundException)
            {
                // It was deleted, or a wider one replaced it; the batch is committed, so this is no error of it.
                continue;
            }

            if (!fresh && (request.Text("waitForIndexThrow") is not { } throws || bool.Parse(throws)))
                throw new IndexWaitException(index.Name, text);
        }
    }
}
