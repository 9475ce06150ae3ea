using Pipeline.Backups.Running;

namespace Pipeline.Backups;

/// <summary>A job that runs, with its last progress. Thread-safe.</summary>
/// <param name="job">Which job.</param>
/// <param name="stop">Cancels it.</param>
/// <param name="started">When it began.</param>
internal sealed class RunningJob(BackupJob job, CancellationTokenSource stop, DateTimeOffset started)
    : IProgress<BackupProgress>
{
    private volatile object? _progress;

    public BackupJob Job => job;

    public CancellationTokenSource Stop => stop;

    public DateTimeOffset Started => started;

    public BackupProgress? Progress => _progress as BackupProgress?;

    public void Report(BackupProgress value) => _progress = value;

    /// <summary>Reports to another receiver too.</summary>
    public IProgress<BackupProgress> Also(IProgress<BackupProgress>? other) =>
        other is null ? this : new Both(this, other);

    private sealed class Both(RunningJob job, IProgress<BackupProgress> other) : IProgress<BackupProgress>
    {
        public void Report(BackupProgress value)
        {
            job.Report(value);
            other.Report(value);
        }
    }
}
