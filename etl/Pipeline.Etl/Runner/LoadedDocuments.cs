namespace Pipeline.Etl.Runner;

/// <summary>What the documents of one batch have loaded, until that is durable. Filled by the reader; the sender says when it is durable.</summary>
internal sealed class LoadedDocuments
{
    private volatile bool _isDurable;

    /// <summary>By key of the document: its last run.</summary>
    public Dictionary<string, LoadedBy> ByDocument { get; } = new(StringComparer.Ordinal);

    /// <summary>Whether a snapshot that is opened from now on shows it.</summary>
    public bool IsDurable => _isDurable;

    /// <summary>Says that it is.</summary>
    public void SetDurable() => _isDurable = true;
}
