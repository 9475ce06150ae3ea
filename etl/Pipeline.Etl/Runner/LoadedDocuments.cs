namespace Pipeline.Etl.Runner;

/// <summary>What the documents of one batch have loaded, until that is durable. Filled by the reader; the sender says when it is durable.</summary>
internal sealed class LoadedDocuments
{
    private volatile bool _isDurable;

    private readonly Dictionary<string, HashSet<string>> _byLoaded = new(StringComparer.Ordinal);

    /// <summary>By key of the document: its last run.</summary>
    public Dictionary<string, LoadedBy> ByDocument { get; } = new(StringComparer.Ordinal);

    /// <summary>Puts down the last run over a document.</summary>
    public void Put(string key, LoadedBy run)
    {
        ByDocument[key] = run;
        foreach (string id in run.Loaded)
        {
            if (!_byLoaded.TryGetValue(id, out HashSet<string>? keys)) _byLoaded[id] = keys = new HashSet<string>(StringComparer.Ordinal);
            keys.Add(key);
        }
    }

    /// <summary>The keys of the documents of which some run of this batch has loaded this one, though the last may not have.</summary>
    public IReadOnlyCollection<string> KeysThatLoaded(string id) => _byLoaded.TryGetValue(id, out HashSet<string>? keys) ? keys : [];

    /// <summary>Whether a snapshot that is opened from now on shows it.</summary>
    public bool IsDurable => _isDurable;

    /// <summary>Says that it is.</summary>
    public void SetDurable() => _isDurable = true;
}
