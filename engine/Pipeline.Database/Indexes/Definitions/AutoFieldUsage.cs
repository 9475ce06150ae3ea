namespace Pipeline.Database.Indexes;

/// <summary>In which forms an automatic index has a field.</summary>
[Flags]
public enum AutoFieldUsage
{
    /// <summary>In none.</summary>
    None = 0,

    /// <summary>Values without case, under the path's name: compared, ordered by, counted.</summary>
    Compare = 1,

    /// <summary>Unchanged values, as <c>exact(path)</c>.</summary>
    Exact = 2,

    /// <summary>Words, as <c>search(path)</c>, cut by the standard analyzer.</summary>
    Search = 4,

    /// <summary>A place, under the path's name.</summary>
    Spatial = 8,
}
