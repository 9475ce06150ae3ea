using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>Handles messages that are too large for a target with <c>oversize: fail</c>.</summary>
internal sealed class OversizeStop(TaskContext context, FailingChange failing)
{
    /// <summary>Fails before a message that is too large, <c>retry.attempts.permanent</c> times. After that the message
    /// is one of the known faults.</summary>
    /// <remarks>Nothing of the batch has been sent or stored yet, so it can be split. The changes before that message
    /// become one batch, its change another.</remarks>
    public void Check(List<OutgoingMessage> messages, Dictionary<OutgoingMessage, FailedMessage> known)
    {
        if (known.Values.Where(f => f.Class == FailureClass.Oversize).MinBy(f => f.Message.Position) is not { } first)
            return;
        var position = first.Message.Position;
        if (failing.SeparateFrom(position) && messages.Exists(m => m.Position != position))
            throw new SplitBatchException();
        var runs = failing.CountOversize(position);
        if (!(runs >= context.Task.Retry.Attempts.Permanent))
            throw new TaskStoppedException(first.Message.Subject, first.Reason, FailureClass.Oversize, policy: "");
        foreach (var failure in known.Values.Where(f => f.Class == FailureClass.Oversize).ToArray())
            known[failure.Message] = failure with { Attempts = runs };
    }
}
