using Pipeline.Etl.DeadLetters;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Makes batches of the dead letters that are retried.</summary>
internal sealed class LetterBatches(TaskContext context, DeadLetterIndex letters, ChangeTransform transform)
{
    private const int MaxLettersAtOnce = 256;
    private readonly DeadLetterWriter _deadLetters = new(context.Task, context.Time);

    /// <summary>
    /// Makes a batch of the dead letters to retry, or returns <see langword="null"/> if there are none.
    /// </summary>
    /// <remarks>The current transform runs over the current document. Its messages have the ids of the document's own
    /// change, so that a consumer can drop those that it already has. The input of an edited letter replaces the
    /// document. A document with pending changes is left to them.</remarks>
    public PreparedBatch? Prepare(long position, BatchQueue batches, CancellationToken stop)
    {
        var taken = letters.Take(MaxLettersAtOnce);
        if (taken.Count == 0)
            return null;
        var prepared = batches.NewBatch();
        (prepared.Origin, prepared.Position) = (BatchOrigin.Letters, position);
        transform.BeforeSnapshot();
        using var snapshot = context.Feed.OpenSnapshot(context.Consumer);
        transform.Begin(snapshot, prepared, through: null);
        foreach ((var id, var isSuperseded) in taken)
        {
            stop.ThrowIfCancellationRequested();
            if (!snapshot.TryLoad(id, out var document))
            {
                letters.Remove(id);
                continue;
            }

            var letter = ParkedLetter.Read(id, document.Body, withContent: true);
            prepared.Letters.Add(letter);
            if (isSuperseded && !letter.IsEdited)
                continue;
            try
            {
                Retry(letter, document.LastModified, snapshot, position, prepared, stop);
            }
            catch (FormatException e)
            {
                Fail(letter, e, prepared);
            }
        }

        transform.End(prepared);
        return prepared;
    }

    private void Retry(
        ParkedLetter letter,
        DateTimeOffset modified,
        IFeedSnapshot snapshot,
        long position,
        PreparedBatch prepared,
        CancellationToken stop
    )
    {
        if (Resolve(letter, modified, snapshot, position) is not { } change)
            return;
        var first = prepared.Messages.Count;

        // The target already has the other messages that the same script made of the same version.
        var isRest =
            letter.Ordinal >= 0
            && change.Position == letter.Position
            && letter.Script == context.Task.ScriptVersion
            && !letter.IsEdited;
        if (
            transform.TakeAlone(
                change,
                prepared,
                keepsLoads: !letter.IsEdited,
                only: isRest ? letter.Ordinal : -1,
                stop
            ) is
            { } error
        )
        {
            Fail(letter, error, prepared);
            return;
        }

        for (var i = first; i < prepared.Messages.Count; i++)
            prepared.LetterOf[prepared.Messages[i]] = letter;
    }

    /// <summary>
    /// The change that a letter stands for now, or <see langword="null"/> if nothing is left to send.
    /// </summary>
    private FeedChange? Resolve(ParkedLetter letter, DateTimeOffset modified, IFeedSnapshot snapshot, long position)
    {
        var databaseId = context.Feed.DatabaseId;
        if (letter.IsEdited)
            return new FeedChange(letter.Position, letter.ToDocument(databaseId, modified), letter.Document.Length);
        if (snapshot.TryLoad(letter.DocumentId, out var now) && context.Filter.Takes(now.Collection))
        {
            return now.Version.Position > position
                ? null
                : new FeedChange(now.Version.Position, now, now.Body.Data.Length);
        }

        // A task that takes deletions has processed this deletion or will do so.
        if (context.Filter.Deletes && !letter.IsDeletion)
            return null;
        if (letter.Document.IsEmpty && !letter.IsDeletion)
        {
            throw new FormatException(
                "its document was deleted and the letter does not hold it: edit the letter, or drop it"
            );
        }

        return new FeedChange(letter.Position, letter.ToDocument(databaseId, modified), letter.Document.Length);
    }

    private void Fail(ParkedLetter letter, Exception error, PreparedBatch prepared)
    {
        prepared.DeadLetters.Add(
            _deadLetters.Again(letter, FailureClass.Script, error.Message, error as ScriptRuntimeException, null)
        );
        prepared.Letters.Remove(letter);
        prepared.FailedLetters.Add(letter);
        prepared.Failures.Add(FailureClass.Script);
        context.Failures.Add(FailureOutcome.FailedAgain, letter.DocumentId, FailureClass.Script, error.Message, error);
    }
}
