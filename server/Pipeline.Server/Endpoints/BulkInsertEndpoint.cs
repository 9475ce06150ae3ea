using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Pipeline.Database;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary><c>bulk_insert</c>: documents and attachments without end, stored as they come.</summary>
internal static class BulkInsertEndpoint
{
    /// <summary>Adds it.</summary>
    public static void Add(DatabaseRoutes routes, long maxCommandBytes) =>
        routes.Add("POST", "/bulk_insert", DatabaseAccess.ReadWrite, request => PostAsync(request, maxCommandBytes), isLong: true);

    private static async Task PostAsync(DatabaseRequest request, long maxCommandBytes)
    {
        // A client may think between two documents as long as it likes.
        if (request.Context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        request.LiftBodyLimit();
        var id = request.Number("id", 0);
        await request.Served.Operations.RunAsync(id == 0 ? request.Served.Operations.NextId() : id, async (operation, stop) =>
        {
            using var both = CancellationTokenSource.CreateLinkedTokenSource(stop, request.Aborted);
            var insert = request.Database.BeginBulkInsert(new BulkInsertOptions { SkipsUnchanged = request.Flag("skipOverwriteIfUnchanged") });
            try
            {
                await using (insert.ConfigureAwait(false))
                    await StoreAsync(request, insert, operation, maxCommandBytes, both.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (e is not (BulkInsertException or OperationCanceledException))
            {
                throw new BulkInsertException(insert.Stored, insert.Accepted, e);
            }
            finally
            {
                operation.Progress = (insert.Stored, insert.Stored);
            }
        }).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status200OK).ConfigureAwait(false);
    }

    private static async Task StoreAsync(DatabaseRequest request, BulkInsert insert, Operation operation, long maxCommandBytes, CancellationToken ct)
    {
        await foreach (var command in BulkInsertReader.ReadAsync(request.Context.Request.BodyReader, maxCommandBytes, ct).ConfigureAwait(false))
        {
            if (command.Attachment is { } attachment)
            {
                var content = await request.Database.Attachments.StageAsync(attachment.Content, ct).ConfigureAwait(false);
                await insert.StoreAttachmentAsync(command.Id!, attachment.Name, content, attachment.ContentType, ct).ConfigureAwait(false);
                continue;
            }
            await insert.StoreAsync(command.Id, command.Document, ct).ConfigureAwait(false);
            operation.Progress = (insert.Accepted, insert.Accepted);
        }
        await insert.CompleteAsync(ct).ConfigureAwait(false);
    }
}
