namespace Pipeline.Database.Indexes;

/// <summary>
/// The trees of upkeep, in the same store as the index's trees; FORMAT.md, "Index upkeep", describes their contents.
/// </summary>
internal static class UpkeepTrees
{
    internal const string State = "upkeep/state";
    internal const string Errors = "upkeep/errors";
    internal const string Loads = "upkeep/loads";
    internal const string LoadedBy = "upkeep/loaded-by";
    internal const string Mapped = "upkeep/mapped";
    internal const string Outputs = "upkeep/outputs";
    internal const string Parts = "upkeep/parts";
}
