namespace Pipeline.Documents;

/// <summary>Which changes a reader of the feed wants. Immutable and thread-safe.</summary>
public sealed class ChangeFilter
{
    private ChangeFilter(IReadOnlyList<string>? collections, bool includeDeletes)
    {
        Collections = collections;
        IncludeDeletes = includeDeletes;
    }

    /// <summary>Puts of all collections.</summary>
    public static ChangeFilter All { get; } = new(null, false);

    /// <summary>Puts and deletes of all collections.</summary>
    public static ChangeFilter AllWithDeletes { get; } = new(null, true);

    /// <summary>The collections to follow, in any case; null for all.</summary>
    public IReadOnlyList<string>? Collections { get; }

    /// <summary>Whether tombstones are wanted too.</summary>
    public bool IncludeDeletes { get; }

    /// <summary>Follows some collections. One that does not exist yet is followed from when it does.</summary>
    /// <param name="collections">Their names, in any case; none at all follows nothing.</param>
    /// <param name="includeDeletes">Whether tombstones are wanted too.</param>
    /// <returns>The filter.</returns>
    public static ChangeFilter Of(IEnumerable<string> collections, bool includeDeletes = false) =>
        new([.. collections.Distinct(StringComparer.OrdinalIgnoreCase)], includeDeletes);
}
