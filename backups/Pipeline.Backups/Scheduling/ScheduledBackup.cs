using Pipeline.Backups.Running;

namespace Pipeline.Backups;

/// <summary>
/// A definition of a <see cref="BackupService"/>, its runner and its loops. Cancelling <see cref="Stop"/> ends the
/// loops, but a run in progress completes.
/// </summary>
internal sealed class ScheduledBackup(BackupRunner runner) : IAsyncDisposable
{
    public BackupRunner Runner { get; } = runner;

    public BackupDefinition Definition => Runner.Definition;

    public CancellationTokenSource Stop { get; } = new();

    /// <summary>One loop for each job that has a schedule.</summary>
    public IReadOnlyList<Task> Loops { get; set; } = [];

    public async ValueTask DisposeAsync()
    {
        await Stop.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(Loops).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Runner.DisposeAsync().ConfigureAwait(false);
        Stop.Dispose();
    }
}
