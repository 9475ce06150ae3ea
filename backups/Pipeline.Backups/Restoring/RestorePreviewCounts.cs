namespace Pipeline.Backups.Restoring;

/// <summary>Documents of a collection that a restore would revert.</summary>
/// <param name="Written">Documents created or changed.</param>
/// <param name="Deleted">Deleted documents, which would exist again.</param>
public sealed record RestorePreviewCounts(long Written, long Deleted);
