using Pipeline.Client.Transport;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.Client;

internal sealed partial class EmbeddedTransport
{
    private const int ChangedAtOnce = 256;

    public async Task<long> ChangeByQueryAsync(RqlQuery query, bool deletes, CancellationToken cancellationToken)
    {
        try
        {
            var (selection, act) = deletes ? (query, (t, id) => t.Delete(id)) : ReadUpdate(query);
            List<string> ids = [];
            await foreach (
                var item in database.StreamQueryAsync(Request(selection), cancellationToken).ConfigureAwait(false)
            )
            {
                if (item.Id is not null)
                    ids.Add(item.Id);
            }

            foreach (var some in ids.Chunk(ChangedAtOnce))
            {
                cancellationToken.ThrowIfCancellationRequested();
                await database
                    .WriteAsync(transaction => Array.ForEach(some, id => act(transaction, id)), cancellationToken)
                    .ConfigureAwait(false);
            }

            return ids.Count;
        }
        catch (InvalidQueryException e)
        {
            throw new QueryException(e.Message, query.Text, e);
        }
        catch (ScriptRuntimeException e)
        {
            throw new PatchException(e.Message, e);
        }
    }

    /// <summary>Executes a batch with actions at its end.</summary>
    private async Task<IReadOnlyList<CommandResult>> ExecuteAsync(
        DocumentBatch batch,
        IReadOnlyList<SaveAction> actions,
        CancellationToken cancellationToken
    )
    {
        List<StagedAttachment> staged = [];
        try
        {
            foreach (var action in actions)
            {
                if (action is AttachmentPut put)
                {
                    staged.Add(
                        await database.Attachments.StageAsync(put.Open(), cancellationToken).ConfigureAwait(false)
                    );
                }

                Add(batch, action, staged);
            }

            return await database.ExecuteAsync(batch, cancellationToken).ConfigureAwait(false);
        }
        catch (ScriptRuntimeException e)
        {
            throw new PatchException(e.Message, e);
        }
        catch (AttachmentException e)
        {
            throw new AttachmentSaveException(e.Message, e);
        }
        catch (CompareExchangeException e)
        {
            throw new ConcurrencyException(e.Message, null, e);
        }
        finally
        {
            foreach (var content in staged)
                await content.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static void Add(DocumentBatch batch, SaveAction action, List<StagedAttachment> staged) =>
        _ = action switch
        {
            PatchAction patch => batch.Patch(
                patch.Id,
                new DocumentPatch(PatchScripts.Compile(patch.Script), BinaryJson.Parse(patch.Arguments.Span))
                {
                    ReturnsDocument = true,
                }
            ),
            AttachmentPut put => batch.PutAttachment(put.Id, put.Name, staged[^1], put.ContentType),
            AttachmentDelete delete => batch.DeleteAttachment(delete.Id, delete.Name),
            AttachmentCopy copy => batch.CopyAttachment(copy.Id, copy.Name, copy.ToId, copy.ToName, replaces: false),
            CompareExchangeChange change => batch.CompareExchange(
                change.Id,
                change.Json.IsEmpty ? null : BinaryJson.Parse(change.Json.Span),
                change.Index
            ),
            _ => throw new NotSupportedException($"a save has no {action.GetType().Name}"),
        };

    private static ActionResult Done(CommandResult result) =>
        result.Patch is { } patch
            ? new ActionResult(patch.Document?.ChangeVector, patch.Document is { } document ? Data(document) : null)
            : new ActionResult(result.DocumentChangeVector, null);

    /// <summary>The query without its script, and what runs the script.</summary>
    private static (RqlQuery Query, Action<DocumentTransaction, string> Act) ReadUpdate(RqlQuery query)
    {
        var update = UpdateQuery.Parse(query.Text);
        var patch = new DocumentPatch(PatchScripts.Compile(update.Script), BinaryJson.Parse(query.Parameters.Span));
        return (query with { Text = update.Selection }, (t, id) => t.Patch(id, patch));
    }
}
