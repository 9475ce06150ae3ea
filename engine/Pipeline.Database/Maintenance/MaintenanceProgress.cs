namespace Pipeline.Database.Maintenance;

/// <summary>How far a check or salvage has come.</summary>
/// <param name="Stage">What it is doing.</param>
/// <param name="Done">How much of that is done.</param>
/// <param name="Total">How much there is; 0 where it is not known.</param>
public readonly record struct MaintenanceProgress(string Stage, long Done, long Total);
