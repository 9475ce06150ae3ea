namespace Pipeline.Scripting.Indexes;

/// <summary>
/// The facts about an index that need no compiler. They are stored with its entries, so a query after opening need not
/// wait for the compiler.
/// </summary>
internal sealed record IndexOutline
{
    /// <summary>The collections mapped; null for all documents.</summary>
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>The collections loaded from.</summary>
    public IReadOnlyList<string> LoadedCollections { get; init; } = [];

    /// <summary>The fields that the definition names.</summary>
    public IReadOnlyList<string> Fields { get; init; } = [];

    /// <summary>Whether entries are results of a reduce.</summary>
    public bool IsGrouped { get; init; }

    /// <summary>Whether maps name fields as they run.</summary>
    public bool HasDynamicFields { get; init; }

    /// <summary>Whether a document may have several entries.</summary>
    public bool MayRepeat { get; init; }
}
