namespace Pipeline.Documents.Maintenance;

/// <summary>The progress of a check or salvage.</summary>
/// <param name="Stage">The current stage.</param>
/// <param name="Done">The amount of it that is done.</param>
/// <param name="Total">The total amount; 0 if it is unknown.</param>
public readonly record struct MaintenanceProgress(string Stage, long Done, long Total);
