using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Finds the messages of a batch that are not sent: those that the target will never accept, and with <c>onError:
/// park-key</c> the later ones of their keys.
/// </summary>
internal sealed class KnownFaults(IMessageSink sink, DeadLetterIndex letters, bool holdsKeys)
{
    /// <summary>Finds the faults that are known before anything is sent.</summary>
    public Dictionary<OutgoingMessage, FailedMessage> Find(List<OutgoingMessage> messages)
    {
        var known = new Dictionary<OutgoingMessage, FailedMessage>(ReferenceEqualityComparer.Instance);
        HashSet<string>? held = null;
        foreach (var message in messages)
        {
            var key = holdsKeys ? HoldKey.Of(message) : null;
            if (key is not null && (held?.Contains(key) == true || letters.IsHeld(key)))
            {
                known[message] = FailedMessage.Held(message, key, attempts: 0);
            }
            else if (FindUnfit(message, attempts: 0) is { } unfit)
            {
                known[message] = unfit;
                if (key is not null)
                    (held ??= new(StringComparer.Ordinal)).Add(key);
            }
        }

        return known;
    }

    /// <summary>The fault of one message that is retried, or <see langword="null"/>.</summary>
    /// <param name="message">The message.</param>
    /// <param name="position">The position of its letter. Earlier letters of its key hold it back.</param>
    /// <param name="batch">The ids of the letters of its batch, which do not hold it back.</param>
    public FailedMessage? FindRetried(OutgoingMessage message, long position, IReadOnlySet<string> batch)
    {
        if (FindUnfit(message, attempts: 1) is { } unfit)
            return unfit;
        return holdsKeys && HoldKey.Of(message) is var key && letters.IsHeldBefore(key, position, batch)
            ? FailedMessage.Held(message, key, attempts: 1)
            : null;
    }

    /// <summary>
    /// Adds messages that the target refused, if they hold the keys of later messages of the batch; adds these too.
    /// </summary>
    /// <returns>Whether they hold any.</returns>
    public bool AddHeld(
        IReadOnlyList<OutgoingMessage> messages,
        List<FailedMessage> refused,
        Dictionary<OutgoingMessage, FailedMessage> known
    )
    {
        if (!holdsKeys)
            return false;
        var those = new HashSet<OutgoingMessage>(refused.Select(f => f.Message), ReferenceEqualityComparer.Instance);
        var keys = new HashSet<string>(StringComparer.Ordinal);
        List<OutgoingMessage> held = [];
        foreach (var message in messages)
        {
            var key = HoldKey.Of(message);
            if (those.Contains(message))
                keys.Add(key);
            else if (keys.Contains(key))
                held.Add(message);
        }

        if (held.Count == 0)
            return false;
        foreach (var failure in refused)
            known[failure.Message] = failure;
        foreach (var message in held)
            known[message] = FailedMessage.Held(message, HoldKey.Of(message), attempts: 0);
        return true;
    }

    private FailedMessage? FindUnfit(OutgoingMessage message, int attempts) =>
        sink.FindFault(message) is { } reason
            ? FailedMessage.Unfit(message, reason, sink.IsOversize(message), attempts)
            : null;
}
