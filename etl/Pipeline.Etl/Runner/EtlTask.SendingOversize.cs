using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <content>What is done where the target is to fail at messages that are too large.</content>
internal sealed partial class EtlTask
{
    // The change that the task last failed at, and how often in a row. Outlives the sender, which ends with each failure.
    private (long Position, int Runs) _oversize;

    private sealed partial class Sender
    {
        /// <summary>Stands before a message that is too large as often as <c>retry.attempts.permanent</c> says; after that it is one of the known faults.</summary>
        /// <remarks>Nothing of the batch is sent or stored yet, so the changes before that message are made a batch of their own, and it another one.</remarks>
        private void FailAtOversize(PreparedBatch batch, Dictionary<OutgoingMessage, FailedMessage> known)
        {
            // With onError: stop the task stands there anyway.
            if (_isReplay || Policy == ErrorPolicy.Stop || known.Values.Where(f => f.Class == FailureClass.Oversize).MinBy(f => f.Message.Position) is not { } first) return;
            long position = first.Message.Position;
            long former = Interlocked.Exchange(ref owner._stopBefore, position);
            if (former != position && batch.Messages.Exists(m => m.Position != position)) throw new SplitBatchException();
            int runs = owner._oversize.Position == position ? owner._oversize.Runs + 1 : 1;
            owner._oversize = (position, runs);
            if (!(runs >= owner._task.Retry.Attempts.Permanent)) throw new TaskStoppedException(first.Message.Subject, first.Reason, FailureClass.Oversize, policy: "");
            foreach (FailedMessage failure in known.Values.Where(f => f.Class == FailureClass.Oversize).ToArray()) known[failure.Message] = failure with { Attempts = runs };
        }
    }
}
