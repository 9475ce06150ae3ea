namespace Pipeline.Database.Indexes;

/// <summary>The trees that upkeep has beside the index's own, in the same store; what each holds is in FORMAT.md, "Index upkeep".</summary>
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
