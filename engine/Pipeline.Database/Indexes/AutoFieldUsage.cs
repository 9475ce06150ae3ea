namespace Pipeline.Database.Indexes;

/// <summary>What queries do with a field of an automatic index, beside comparing and ordering.</summary>
[Flags]
public enum AutoFieldUsage
{
    /// <summary>It is compared, in any case, and ordered by: a field of the path's name.</summary>
    Default = 0,

    /// <summary>Words are searched in it: a field <c>search(path)</c>, cut by the standard analyzer.</summary>
    Search = 1,

    /// <summary>It is compared exactly: a field <c>exact(path)</c>.</summary>
    Exact = 2,
}
