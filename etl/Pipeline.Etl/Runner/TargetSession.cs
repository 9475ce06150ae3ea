using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>
/// One run's connection to its target. It connects, sends with retries, and knows which position the target stores.
/// </summary>
internal sealed class TargetSession(
    TaskContext context,
    IMessageSink sink,
    TaskRun run,
    RunGuard guard,
    RetryWait retry
)
{
    private bool _connected;

    /// <summary>What the target stored when the session last connected.</summary>
    public TargetPosition Stored { get; private set; }

    /// <summary>The number of attempts for the current batch, including the current one.</summary>
    public int Attempts { get; private set; }

    /// <summary>The time from handing over the last batch to its confirmation.</summary>
    public TimeSpan Took { get; private set; }

    /// <summary>
    /// Connects. Retries as often as the task may, since there is no batch yet to apply the error policy to.
    /// </summary>
    /// <param name="mayGiveUp">
    /// Whether to return when no attempts are left. The batches are then tried, each with its own attempts.
    /// </param>
    /// <param name="stop">Ends it.</param>
    public async Task ConnectAsync(bool mayGiveUp, CancellationToken stop)
    {
        for (var attempt = 1; !_connected; attempt++)
        {
            try
            {
                await ConnectOnceAsync(stop).ConfigureAwait(false);
                if (attempt > 1)
                    context.Logger.Recovered(context.Name, context.Plan.Connection.Name);
            }
            catch (ConnectorException e)
            {
                if (attempt >= MaxAttempts(e) && mayGiveUp)
                    break;
                await WaitAfterAsync(e, attempt, stop).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Sends a batch until the target confirms it or no attempts are left.</summary>
    /// <exception cref="TaskStoppedException">No attempts are left, and the task has <c>onError: stop</c>.</exception>
    public async Task<Delivery> SendAsync(MessageBatch batch, CancellationToken stop)
    {
        Took = default;
        for (Attempts = 1; ; Attempts++)
        {
            try
            {
                if (!_connected)
                {
                    await ConnectOnceAsync(stop).ConfigureAwait(false);
                    if (Stored.HasAll(batch))
                        return Delivery.AlreadySent;
                }

                var started = context.Time.GetTimestamp();
                var refused = await sink.SendAsync(batch, stop).ConfigureAwait(false);
                Took = context.Time.GetElapsedTime(started);
                if (Attempts > 1)
                    context.Logger.Recovered(context.Name, context.Plan.Connection.Name);
                return Delivery.Sent(refused, Attempts);
            }
            catch (ResendException)
            {
                // The target has dropped the partly sent batch.
                _connected = false;
                return Delivery.Resend;
            }
            catch (ConnectorException e)
            {
                _connected = false;
                if (Attempts >= MaxAttempts(e))
                {
                    if (context.Task.OnError == ErrorPolicy.Stop)
                        throw new TaskStoppedException(batch.Messages[0].Subject, e.Message, Delivery.ClassOf(e), e);
                    return Delivery.GivenUp(batch.Messages, e, Attempts);
                }

                await WaitAfterAsync(e, Attempts, stop).ConfigureAwait(false);
            }
        }
    }

    /// <summary>The maximum number of attempts; null for no limit.</summary>
    private int? MaxAttempts(ConnectorException error) =>
        error.IsTransient ? context.Task.Retry.Attempts.Transient : context.Task.Retry.Attempts.Permanent;

    private async Task ConnectOnceAsync(CancellationToken stop)
    {
        var before = run.Standing;
        Stored = TargetPosition.Of(await sink.ConnectAsync(stop).ConfigureAwait(false));
        if (run.Standing != before)
            await guard.StoreAsync(run.Standing, stop).ConfigureAwait(false);
        _connected = true;
    }

    private async Task WaitAfterAsync(ConnectorException error, int attempt, CancellationToken stop)
    {
        var delay = retry.Next(attempt, error.IsTransient);
        if (error.IsTransient)
            context.Logger.Retrying(context.Name, error.Connection, attempt, delay, error.Message);
        else
            context.Logger.Refused(context.Name, error.Connection, attempt, delay, error.Message);
        var state = error.IsTransient ? EtlTaskState.Retrying : EtlTaskState.Failed;
        if (
            !await retry
                .WaitAsync(state, error.Message, Delivery.ClassOf(error), attempt, delay, stop, isOfTarget: true)
                .ConfigureAwait(false)
        )
        {
            stop.ThrowIfCancellationRequested();
        }
    }
}
