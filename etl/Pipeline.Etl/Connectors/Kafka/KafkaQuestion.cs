using Confluent.Kafka;
using Confluent.Kafka.Admin;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// Asks a broker and, if it does not answer, asks again. The client sends a request of an administrator to the
/// controller that it knows. If that broker is dead, the request times out, and so do later ones until the client has
/// read metadata again.
/// </summary>
internal static class KafkaQuestion
{
    /// <summary>How long one broker may take.</summary>
    internal static readonly TimeSpan Slice = TimeSpan.FromSeconds(2);

    /// <summary>Asks the controller once to create topics.</summary>
    /// <returns>True. A refusal is a <see cref="CreateTopicsException"/>.</returns>
    internal static async Task<bool> CreateTopicsAsync(
        IAdminClient admin,
        IReadOnlyList<TopicSpecification> topics,
        TimeSpan timeout
    )
    {
        var options = new CreateTopicsOptions { RequestTimeout = timeout, OperationTimeout = timeout };
        await admin.CreateTopicsAsync(topics, options).ConfigureAwait(false);
        return true;
    }

    /// <summary>Asks until there is an answer or the time is up.</summary>
    /// <param name="ask">Sends the request; its argument is the request's timeout. May run several times.</param>
    /// <param name="readMetadata">Has the client read which brokers there are.</param>
    /// <param name="within">How long to ask again. The last request may end a slice later.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ct">Cancels the call.</param>
    /// <exception cref="KafkaException">A broker refused, or none answered in time.</exception>
    internal static async Task<T> AskAsync<T>(
        Func<TimeSpan, Task<T>> ask,
        Func<Task> readMetadata,
        TimeSpan within,
        TimeProvider time,
        CancellationToken ct
    )
    {
        var began = time.GetTimestamp();
        while (true)
        {
            try
            {
                return await ask(within < Slice ? within : Slice).WaitAsync(ct).ConfigureAwait(false);
            }
            catch (KafkaException e)
                when (e.Error.Code == ErrorCode.Local_TimedOut && time.GetElapsedTime(began) < within)
            {
                await readMetadata().WaitAsync(ct).ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// Asks any broker until one answers, the brokers refuse, or the time is up. The client knows no refusal while it
    /// is still connecting, and says <see cref="ErrorCode.Local_Transport"/> then.
    /// </summary>
    /// <param name="ask">Sends the request and waits, at most as long as its argument. May run several times.</param>
    /// <param name="isRefused">Whether the brokers refuse connections or credentials, so that waiting is in vain.</param>
    /// <param name="within">How long to ask again. The last request may end a slice later.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ct">Cancels the call between two requests.</param>
    /// <exception cref="KafkaException">The brokers refused, or none answered in time.</exception>
    internal static T AskForBrokers<T>(
        Func<TimeSpan, T> ask,
        Func<bool> isRefused,
        TimeSpan within,
        TimeProvider time,
        CancellationToken ct
    )
    {
        var began = time.GetTimestamp();
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            try
            {
                return ask(Slice);
            }
            catch (KafkaException e)
                when (e.Error.Code is ErrorCode.Local_TimedOut or ErrorCode.Local_Transport
                    && !isRefused()
                    && time.GetElapsedTime(began) < within
                )
            {
                continue;
            }
        }
    }
}
