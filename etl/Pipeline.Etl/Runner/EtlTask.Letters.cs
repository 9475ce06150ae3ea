using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    private const int MaxLettersAtOnce = 256;

    /// <summary>Makes a batch of the dead letters to retry, or returns <see langword="null"/> if there are none.</summary>
    /// <remarks>The current transform runs over the current document. Its messages have the ids of the document's own change, so that a consumer can drop those
    /// that it already has. The input of an edited letter replaces the document. A document with pending changes is left to them.</remarks>
    private PreparedBatch? PrepareLetters(DurableCursor cursor, long position, TransformRun run, CancellationToken stop)
    {
        List<(string Id, bool IsSuperseded)> taken = _letters.Take(MaxLettersAtOnce);
        if (taken.Count == 0) return null;
        PreparedBatch prepared = NewBatch();
        (prepared.Origin, prepared.Position) = (BatchOrigin.Letters, position);
        _dependencies?.DropDurable();
        using IFeedSnapshot snapshot = _feed.OpenSnapshot(cursor.Name);
        run.Context.Documents = Follow(snapshot, prepared);
        foreach ((string id, bool isSuperseded) in taken)
        {
            stop.ThrowIfCancellationRequested();
            if (!snapshot.TryLoad(id, out ScriptDocument document))
            {
                _letters.Remove(id);
                continue;
            }

            ParkedLetter letter = ParkedLetter.Read(id, document.Body, withContent: true);
            prepared.Letters.Add(letter);
            if (isSuperseded && !letter.IsEdited) continue;
            try
            {
                Retry(letter, document.LastModified, snapshot, position, prepared, run, stop);
            }
            catch (FormatException e)
            {
                Fail(letter, e, prepared);
            }
        }

        run.Context.Documents = null;
        _dependencies?.End(prepared);
        return prepared;
    }

    private void Retry(ParkedLetter letter, DateTimeOffset modified, IFeedSnapshot snapshot, long position, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        if (Resolve(letter, modified, snapshot, position) is not { } change) return;
        _dependencies?.Clear();
        int first = prepared.Messages.Count;
        if (run.Run(change, prepared, stop) is { } error)
        {
            Fail(letter, error, prepared);
            return;
        }

        if (!letter.IsEdited) _dependencies?.Keep(change.Document);

        // The other messages of the same version, by the same script, are there already.
        if (letter.Ordinal >= 0 && change.Position == letter.Position && letter.Script == _task.ScriptVersion && !letter.IsEdited) _collector.KeepOnly(letter.Ordinal);
        for (int i = first; i < prepared.Messages.Count; i++) prepared.LetterOf[prepared.Messages[i]] = letter;
    }

    /// <summary>The change that a letter stands for now, or <see langword="null"/> if nothing is left to send.</summary>
    private FeedChange? Resolve(ParkedLetter letter, DateTimeOffset modified, IFeedSnapshot snapshot, long position)
    {
        if (letter.IsEdited) return new FeedChange(letter.Position, letter.ToDocument(_feed.DatabaseId, modified), letter.Document.Length);
        if (snapshot.TryLoad(letter.DocumentId, out ScriptDocument now) && _filter.Takes(now.Collection))
        {
            return now.Version.Position > position ? null : new FeedChange(now.Version.Position, now, now.Body.Data.Length);
        }

        // A task that takes deletions has processed this deletion or will do so.
        if (_filter.Deletes && !letter.IsDeletion) return null;
        if (letter.Document.IsEmpty && !letter.IsDeletion) throw new FormatException("its document was deleted and the letter does not hold it: edit the letter, or drop it");
        return new FeedChange(letter.Position, letter.ToDocument(_feed.DatabaseId, modified), letter.Document.Length);
    }

    private void Fail(ParkedLetter letter, Exception error, PreparedBatch prepared)
    {
        prepared.DeadLetters.Add(_readerDeadLetters.Again(letter, FailureClass.Script, error.Message, error as ScriptRuntimeException, null));
        prepared.Letters.Remove(letter);
        prepared.FailedLetters.Add(letter);
        prepared.Failures.Add(FailureClass.Script);
        _failures.Add(FailureOutcome.FailedAgain, letter.DocumentId, FailureClass.Script, error.Message, error);
    }
}
