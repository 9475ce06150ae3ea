using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Turns failed messages into dead letters, or skips them (<c>onError: skip</c>). Used by the sender only.
/// </summary>
internal sealed class MessageLetters(TaskContext context, DeadLetterIndex deadLetters)
{
    private readonly DeadLetterWriter _writer = new(context.Task, context.Time);

    /// <summary>Adds the letters of failed messages.</summary>
    /// <param name="letters">Receives the letters.</param>
    /// <param name="failures">The messages.</param>
    /// <param name="all">
    /// All messages of the batch. A letter's id has the message's number among those of its document.
    /// </param>
    public void Add(
        List<KeyValuePair<string, ReadOnlyMemory<byte>>> letters,
        IEnumerable<FailedMessage> failures,
        List<OutgoingMessage> all
    )
    {
        IFeedSnapshot? snapshot = null;
        try
        {
            foreach (var failure in failures)
            {
                var message = failure.Message;
                if (context.Task.OnError == ErrorPolicy.Skip)
                {
                    context.Failures.Add(FailureOutcome.LeftOut, message.Subject, failure.Class, failure.Reason);
                    continue;
                }

                snapshot ??= context.Feed.OpenSnapshot();
                int index = all.IndexOf(message),
                    first = index;
                while (
                    first > 0
                    && all[first - 1].Position == message.Position
                    && all[first - 1].DocumentPosition == message.DocumentPosition
                )
                {
                    first--;
                }

                var holds = context.HoldsKeys ? HoldKey.Of(message) : null;
                letters.Add(_writer.ForMessage(failure, index - first, holds, snapshot));
                if (holds is not null)
                {
                    deadLetters.Hold(
                        holds,
                        letters[^1].Key,
                        message.Subject,
                        message.Position,
                        failure.Class == FailureClass.Held
                    );
                }

                context.Failures.Add(FailureOutcome.Parked, message.Subject, failure.Class, failure.Reason);
            }
        }
        finally
        {
            snapshot?.Dispose();
        }
    }

    /// <summary>Rewrites a letter that failed again.</summary>
    public KeyValuePair<string, ReadOnlyMemory<byte>> Again(ParkedLetter letter, FailedMessage failure)
    {
        context.Failures.Add(FailureOutcome.FailedAgain, letter.DocumentId, failure.Class, failure.Reason);
        return _writer.Again(letter, failure.Class, failure.Reason, null, failure.Message);
    }
}
