using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Delivers one batch of dead letters that are retried.</summary>
internal sealed class LetterDelivery(
    TaskContext context,
    DurableCursor cursor,
    SentPosition position,
    TargetSession target,
    KnownFaults faults,
    MessageLetters letters,
    DeadLetterIndex deadLetters
)
{
    /// <summary>
    /// Sends the messages of retried dead letters. A letter is deleted when all its messages are confirmed, in the
    /// transaction that rewrites those that failed again.
    /// </summary>
    public async Task DeliverAsync(PreparedBatch batch, CancellationToken stop)
    {
        var failed = new Dictionary<string, FailedMessage>(StringComparer.OrdinalIgnoreCase);
        var ids = new HashSet<string>(batch.Letters.Select(l => l.Id), StringComparer.OrdinalIgnoreCase);
        foreach (var message in batch.Messages)
        {
            var letter = batch.LetterOf[message];
            if (faults.FindRetried(message, letter.Position, ids) is { } fault)
                failed.TryAdd(letter.Id, fault);
        }

        List<OutgoingMessage> messages = [.. batch.Messages.Where(m => !failed.ContainsKey(batch.LetterOf[m].Id))];
        if (messages.Count > 0)
        {
            var delivery = await target
                .SendAsync(new MessageBatch(messages, position.Value) { LeavesPosition = true }, stop)
                .ConfigureAwait(false);
            foreach (var failure in delivery.Failed)
                failed.TryAdd(batch.LetterOf[failure.Message].Id, failure);
        }

        List<ParkedLetter> done = [.. batch.Letters.Where(l => !failed.ContainsKey(l.Id))];
        var again = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(batch.DeadLetters);
        foreach (var letter in batch.Letters.Where(l => failed.ContainsKey(l.Id)))
            again.Add(letters.Again(letter, failed[letter.Id]));
        await cursor
            .AcknowledgeAsync(
                0,
                again,
                batch.Effects with
                {
                    Deletes = [.. done.Select(l => new KeyValuePair<string, long>(l.Id, 0))],
                },
                stop
            )
            .ConfigureAwait(false);
        foreach (var failure in failed.Values)
            batch.Failures.Add(failure.Class);
        context.Logger.LettersTried(context.Name, done.Count, again.Count);
        context.Progress.AddLetters(done.Count, again.Count);
        position.Complete(batch, messages.Where(m => !failed.ContainsKey(batch.LetterOf[m].Id)), 0);

        // This comes last: a caller that waits until no letter is left relies on the figures above.
        foreach (var letter in done)
            deadLetters.Remove(letter.Id);
        foreach (var letter in batch.FailedLetters)
            deadLetters.PutBack(letter, isHeld: false);
        foreach (var letter in batch.Letters.Where(l => failed.ContainsKey(l.Id)))
            deadLetters.PutBack(letter, failed[letter.Id].Class == FailureClass.Held);
        context.Progress.Notify();
    }
}
