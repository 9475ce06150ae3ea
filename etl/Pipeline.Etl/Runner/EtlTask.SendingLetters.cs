using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    private sealed partial class Sender
    {
        /// <summary>Sends what dead letters have become. A letter goes when all its messages are confirmed, in one transaction with those that have failed again.</summary>
        private async Task DeliverLettersAsync(PreparedBatch batch, CancellationToken stop)
        {
            var failed = new Dictionary<string, FailedMessage>(StringComparer.OrdinalIgnoreCase);
            var ids = new HashSet<string>(batch.Letters.Select(l => l.Id), StringComparer.OrdinalIgnoreCase);
            foreach (OutgoingMessage message in batch.Messages)
            {
                (string letter, long position) = (batch.LetterOf[message].Id, batch.LetterOf[message].Position);
                if (sink.FindFault(message) is { } reason)
                {
                    failed.TryAdd(letter, new FailedMessage(message, reason, sink.IsOversize(message) ? FailureClass.Oversize : FailureClass.Permanent, 1));
                }
                else if (owner._holds && HoldKey.Of(message) is var key && owner._letters.IsHeldBefore(key, position, ids))
                {
                    failed.TryAdd(letter, new FailedMessage(message, DeadLetterWriter.HeldReason(key), FailureClass.Held, 1));
                }
            }

            List<OutgoingMessage> messages = [.. batch.Messages.Where(m => !failed.ContainsKey(batch.LetterOf[m].Id))];
            if (messages.Count > 0)
            {
                List<FailedMessage> refused;
                try
                {
                    refused = [.. (await SendAsync(new MessageBatch(messages, Position) { IsBeside = true }, stop).ConfigureAwait(false)).Select(Refused)];
                }
                catch (BudgetSpentException e)
                {
                    refused = Spent(messages, e);
                }

                foreach (FailedMessage failure in refused) failed.TryAdd(batch.LetterOf[failure.Message].Id, failure);
            }

            var again = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(batch.DeadLetters);
            foreach (ParkedLetter letter in batch.Letters.Where(l => failed.ContainsKey(l.Id)))
            {
                FailedMessage failure = failed[letter.Id];
                again.Add(owner._senderDeadLetters.Again(letter, failure.Class, failure.Reason, null, failure.Message));
                owner._failures.Add(FailureOutcome.FailedAgain, letter.DocumentId, failure.Class, failure.Reason);
            }

            List<ParkedLetter> done = [.. batch.Letters.Where(l => !failed.ContainsKey(l.Id))];
            await cursor.AcknowledgeAsync(0, again, batch.Effects with { Deletes = [.. done.Select(l => new KeyValuePair<string, long>(l.Id, 0))] }, stop).ConfigureAwait(false);
            foreach (FailedMessage failure in failed.Values) batch.Failures.Add(failure.Class);
            owner._logger.LettersTried(owner._task.Name, done.Count, again.Count);
            owner._progress.AddLetters(done.Count, again.Count);
            Complete(batch, messages.Where(m => !failed.ContainsKey(batch.LetterOf[m].Id)), 0);

            // Last, since whoever waits until nothing is left to try counts on the figures above.
            foreach (ParkedLetter letter in done) owner._letters.Remove(letter.Id);
            foreach (ParkedLetter letter in batch.FailedLetters) owner._letters.PutBack(letter, isHeld: false);
            foreach (ParkedLetter letter in batch.Letters.Where(l => failed.ContainsKey(l.Id))) owner._letters.PutBack(letter, failed[letter.Id].Class == FailureClass.Held);
            owner._progress.Notify();
        }
    }
}
