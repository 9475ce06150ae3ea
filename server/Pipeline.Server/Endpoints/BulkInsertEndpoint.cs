using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Pipeline.Documents;
using Pipeline.Server.Operations;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>bulk_insert</c>: an unlimited stream of documents and attachments, stored as they arrive.</summary>
internal static class BulkInsertEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Add(DatabaseRoutes routes, long maxCommandBytes) =>
        routes.Add(
            "POST",
            "/bulk_insert",
            DatabaseAccess.ReadWrite,
            request => PostAsync(request, maxCommandBytes),
            isLong: true
        );

    private static async Task PostAsync(DatabaseRequest request, long maxCommandBytes)
    {
        // A client may pause between two documents for as long as it likes.
        if (request.Context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        request.LiftBodyLimit();
        var id = request.Number("id", 0);
        await request
            .Served.Operations.RunAsync(
                id == 0 ? request.Served.Operations.NextId() : id,
                async (operation, stop) =>
                {
                    using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, request.Aborted);
                    var insert = request.Database.BeginBulkInsert(
                        new BulkInsertOptions { SkipsUnchanged = request.Flag("skipOverwriteIfUnchanged") }
                    );
                    try
                    {
                        await using (insert.ConfigureAwait(false))
                        {
                            await StoreAsync(request, insert, operation, maxCommandBytes, both.Token)
                                .ConfigureAwait(false);
                        }
                    }
                    catch (Exception e) when (e is not OperationCanceledException)
                    {
                        // The rest of the body has no limit, so it is not read; the client must not send its next
                        // request behind it.
                        request.Context.Response.Headers.Connection = "close";
                        if (e is BulkInsertException)
                            throw;
                        throw new BulkInsertException(insert.Stored, insert.Accepted, e);
                    }
                    finally
                    {
                        operation.Progress = (insert.Stored, insert.Stored);
                    }
                }
            )
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status200OK).ConfigureAwait(false);
    }

    private static async Task StoreAsync(
        DatabaseRequest request,
        BulkInsert insert,
        Operation operation,
        long maxCommandBytes,
        CancellationToken ct
    )
    {
        await foreach (
            var command in BulkInsertReader
                .ReadAsync(request.Context.Request.BodyReader, maxCommandBytes, ct)
                .ConfigureAwait(false)
        )
        {
            if (command.Attachment is { } attachment)
            {
                var content = await request
                    .Database.Attachments.StageAsync(attachment.Content, ct)
                    .ConfigureAwait(false);
                await insert
                    .StoreAttachmentAsync(command.Id!, attachment.Name, content, attachment.ContentType, ct)
                    .ConfigureAwait(false);
                continue;
            }
            await insert.StoreAsync(command.Id, command.Document, ct).ConfigureAwait(false);
            operation.Progress = (insert.Accepted, insert.Accepted);
        }
        await insert.CompleteAsync(ct).ConfigureAwait(false);
    }
}
