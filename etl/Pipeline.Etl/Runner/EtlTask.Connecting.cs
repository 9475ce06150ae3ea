using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    private sealed partial class Sender
    {
        private async Task<IReadOnlyList<MessageFailure>> SendAsync(MessageBatch batch, CancellationToken stop)
        {
            for (_attempts = 1; ; _attempts++)
            {
                try
                {
                    if (!_connected)
                    {
                        await ConnectOnceAsync(stop).ConfigureAwait(false);
                        if (_remembered.HasAll(batch)) return [];
                    }

                    long started = owner._time.GetTimestamp();
                    IReadOnlyList<MessageFailure> refused = await sink.SendAsync(batch, stop).ConfigureAwait(false);
                    _took = owner._time.GetElapsedTime(started);
                    if (_attempts > 1) owner._logger.Recovered(owner._task.Name, owner._plan.Connection.Name);
                    return refused;
                }
                catch (ConnectorException e)
                {
                    _connected = false;
                    if (_attempts >= Budget(e))
                    {
                        if (owner._task.OnError == ErrorPolicy.Stop) throw new TaskStoppedException(batch.Messages[0].Subject, e.Message, e.IsTransient ? FailureClass.Transient : FailureClass.Permanent, e);
                        throw new BudgetSpentException(e, _attempts);
                    }

                    await WaitAfterAsync(e, _attempts, stop).ConfigureAwait(false);
                }
            }
        }

        /// <summary>How often it is tried; null: for ever.</summary>
        private int? Budget(ConnectorException error) => error.IsTransient ? owner._task.Retry.Attempts.Transient : owner._task.Retry.Attempts.Permanent;

        private async Task ConnectOnceAsync(CancellationToken stop)
        {
            TaskStanding before = run.Standing;
            _remembered = TargetPosition.Of(await sink.ConnectAsync(stop).ConfigureAwait(false));
            if (run.Standing != before) await owner.StoreAsync(run.Standing, stop).ConfigureAwait(false);
            _connected = true;
        }

        private async Task WaitAfterAsync(ConnectorException error, int attempt, CancellationToken stop)
        {
            TimeSpan delay = owner._backoff.Next(attempt, error.IsTransient);
            if (error.IsTransient) owner._logger.Retrying(owner._task.Name, error.Connection, attempt, delay, error.Message);
            else owner._logger.Refused(owner._task.Name, error.Connection, attempt, delay, error.Message);
            EtlTaskState state = error.IsTransient ? EtlTaskState.Retrying : EtlTaskState.Failed;
            if (!await owner.WaitAsync(state, error.Message, error.IsTransient ? FailureClass.Transient : FailureClass.Permanent, attempt, delay, stop, isOfTarget: true).ConfigureAwait(false)) stop.ThrowIfCancellationRequested();
        }
    }
}
