using System.Diagnostics.CodeAnalysis;
using Pipeline.Etl.Runner;

namespace Pipeline.Hosting;

/// <summary>
/// Checks whether the tasks' targets would accept messages now. Thread-safe. Probes them at most every fifteen seconds,
/// so that many health requests do not load the brokers.
/// </summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A semaphore is never disposed: BannedSymbols.txt says why.")]
internal sealed class ConnectionProbe(EtlHost etl, TimeProvider time)
{
    private static readonly TimeSpan Freshness = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(3);

    private readonly SemaphoreSlim _one = new(1);
    private IReadOnlyList<ReadinessCheck> _last = [];
    private long? _lastTime;

    /// <summary>
    /// Checks the connections. An unreachable target is only a warning: its tasks wait for it and lose nothing.
    /// </summary>
    public async Task<IReadOnlyList<ReadinessCheck>> CheckAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_lastTime is not { } then || time.GetElapsedTime(then) > Freshness)
            {
                var answers = await etl.CheckConnectionsAsync(Timeout, cancellationToken).ConfigureAwait(false);
                _last =
                [
                    .. answers.Select(a => new ReadinessCheck(
                        "connection " + a.Key,
                        a.Value is null,
                        a.Value ?? "it takes messages"
                    )
                    {
                        IsWarning = true,
                    }),
                ];
                _lastTime = time.GetTimestamp();
            }

            // The tasks' own errors say more than a probe: a folder may answer but have no space for the next batch.
            var stuck = etl.GetStatus()
                .Where(t =>
                    t.State is EtlTaskState.Retrying or EtlTaskState.Failed && t.LastError is { IsOfTarget: true }
                )
                .ToLookup(t => "connection " + t.Connection, StringComparer.Ordinal);
            return
            [
                .. _last.Select(c =>
                    c.Ok && stuck[c.Name].FirstOrDefault() is { } task
                        ? c with
                        {
                            Ok = false,
                            Detail = $"task '{task.Name}' cannot send: {task.LastError!.Message}",
                        }
                        : c
                ),
            ];
        }
        finally
        {
            _one.Release();
        }
    }
}
