using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;

namespace Pipeline.Backups;

/// <summary>Has another node of a cluster make a backup.</summary>
internal interface IBackupHelper
{
    /// <summary>Has the node that the definition names make a backup; waits for some time for it.</summary>
    /// <param name="definition">The definition; its node is not the leader.</param>
    /// <param name="kind">The kind; null chooses.</param>
    /// <param name="run">Names the scheduled run; null for a run on request.</param>
    /// <param name="progress">Receives the other node's progress.</param>
    /// <param name="ct">Cancels the run there too.</param>
    /// <returns>The result; null if this node must make the backup itself.</returns>
    Task<BackupReport?> TryRunAsync(
        BackupDefinition definition,
        BackupKind? kind,
        string? run,
        IProgress<BackupProgress> progress,
        CancellationToken ct
    );
}
