namespace Pipeline.Etl.Runner;

/// <summary>
/// Holds what the documents of one batch have loaded, until that is durable. The reader fills it; the sender marks it
/// as durable.
/// </summary>
internal sealed class LoadedDocuments
{
    private volatile bool _isDurable;

    private readonly Dictionary<string, HashSet<string>> _byLoaded = new(StringComparer.Ordinal);

    /// <summary>The last run over each document, by the document's key.</summary>
    public Dictionary<string, LoadedBy> ByDocument { get; } = new(StringComparer.Ordinal);

    /// <summary>Records the last run over a document.</summary>
    public void Put(string key, LoadedBy run)
    {
        ByDocument[key] = run;
        foreach (var id in run.Loaded)
        {
            if (!_byLoaded.TryGetValue(id, out var keys))
                _byLoaded[id] = keys = new HashSet<string>(StringComparer.Ordinal);
            keys.Add(key);
        }
    }

    /// <summary>
    /// The keys of the documents for which a run of this batch loaded this one. Their last run may not have loaded it.
    /// </summary>
    public IReadOnlyCollection<string> KeysThatLoaded(string id) => _byLoaded.TryGetValue(id, out var keys) ? keys : [];

    /// <summary>Whether snapshots that are opened from now on contain it.</summary>
    public bool IsDurable => _isDurable;

    /// <summary>Marks it as durable.</summary>
    public void SetDurable() => _isDurable = true;
}
