using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <content>Handles messages that are too large for a target with <c>oversize: fail</c>.</content>
internal sealed partial class EtlTask
{
    // The change that the task last failed at, and how often in a row. Outlives the sender, which ends with each failure.
    private (long Position, int Runs) _oversize;

    private sealed partial class Sender
    {
        /// <summary>Fails before a message that is too large, <c>retry.attempts.permanent</c> times. After that the message is one of the known
        /// faults.</summary>
        /// <remarks>Nothing of the batch has been sent or stored yet, so it can be split. The changes before that message become one batch, its change
        /// another.</remarks>
        private void FailAtOversize(PreparedBatch batch, Dictionary<OutgoingMessage, FailedMessage> known)
        {
            // With onError: stop the task stops there anyway.
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
