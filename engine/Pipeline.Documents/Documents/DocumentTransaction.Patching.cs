using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>
    /// Runs a script over a document and stores the result. The script's other puts and deletions are part of the
    /// transaction.
    /// </summary>
    /// <param name="id">The document.</param>
    /// <param name="patch">The script.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>What was done.</returns>
    /// <exception cref="ConcurrencyException">The document has another version.</exception>
    /// <exception cref="ScriptRuntimeException">The script failed, or went over a limit.</exception>
    public PatchResult Patch(string id, DocumentPatch patch, string? expectedChangeVector = null)
    {
        ArgumentNullException.ThrowIfNull(patch);
        TryGet(id, out var document);
        if (
            expectedChangeVector is not null
            && !string.Equals(document?.ChangeVector ?? "", expectedChangeVector, StringComparison.Ordinal)
        )
        {
            if (patch.SkipsConflicts)
                return new PatchResult(PatchStatus.Skipped, id, document, []);
            throw new ConcurrencyException(id, expectedChangeVector, document?.ChangeVector);
        }

        if (document is not null)
            return Run(id, patch, document.ToScriptDocument(), document);
        if (patch.CreateIfMissing is { } made)
        {
            Put(id, made.Span);
            return new PatchResult(PatchStatus.Created, id, Find(id), []);
        }

        return patch.IfMissing is { } missing
            ? Run(id, missing, new ScriptDocument(id, BinaryJson.Parse("{}"u8)), null)
            : new PatchResult(PatchStatus.DocumentDoesNotExist, id, null, []);
    }

    /// <summary>Runs the script; its puts, its deletions and the patched document form one change.</summary>
    private PatchResult Run(string id, DocumentPatch patch, in ScriptDocument script, Document? before)
    {
        var changes = Changes;
        try
        {
            return RunScript(id, patch, script, before);
        }
        catch (Exception e) when (NoteError(e, changes))
        {
            throw;
        }
    }

    private PatchResult RunScript(string id, DocumentPatch patch, in ScriptDocument script, Document? before)
    {
        var outcome = patch.Script.Run(
            new PatchRun(script, patch.Arguments, new PatchDocuments(this), _database.UtcNow)
        );

        // The script may have deleted the document itself, or put it: then that stands unless it changed `this` as
        // well.
        if (outcome.Changed is { } json)
        {
            Put(id, json.Span);
        }
        else if (before is not null || Find(id) is null)
        {
            return new PatchResult(
                before is null ? PatchStatus.DocumentDoesNotExist : PatchStatus.NotModified,
                id,
                Find(id),
                outcome.Output
            );
        }

        return new PatchResult(
            before is null ? PatchStatus.Created : PatchStatus.Patched,
            id,
            Find(id),
            outcome.Output
        );
    }

    private Document? Find(string id) => TryGet(id, out var document) ? document : null;

    private sealed class PatchDocuments(DocumentTransaction transaction) : IPatchDocuments
    {
        public bool TryLoad(string id, out ScriptDocument document)
        {
            var isThere = transaction.TryGet(id, out var found);
            document = isThere ? found!.ToScriptDocument() : default;
            return isThere;
        }

        public string Put(string? id, ReadOnlySpan<byte> json, string? changeVector) =>
            transaction.Put(id, json, changeVector).Id;

        public bool Delete(string id, string? changeVector) => transaction.Delete(id, changeVector);

        public bool IsStoreFailure(Exception error) => error is StorageException;
    }
}
