namespace Pipeline.Backups.Restoring;

/// <summary>Documents of a collection that a restore would take back.</summary>
/// <param name="Written">Those that were made or changed.</param>
/// <param name="Deleted">Those that were deleted, and would be there again.</param>
public sealed record RestorePreviewCounts(long Written, long Deleted);
