using Pipeline.Documents;

namespace Pipeline.Server.Changes;

/// <summary>The changes that one client watches. A watch covers later commits. Not thread-safe.</summary>
internal sealed class WatchList
{
    private const int MaxWatches = 10_000;

    // No id, collection, index or operation has a longer name.
    private const int MaxNameLength = 1024;

    // The entry of a dictionary and the header of its text.
    private const int WishBytes = 96;

    private readonly Dictionary<string, long> _ids = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _prefixes = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _collections = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _indexes = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _operations = new(StringComparer.Ordinal);
    private long? _all;
    private bool _allIndexes;
    private bool _allOperations;

    /// <summary>Whether the client is notified of any change, so that it refreshes its cache.</summary>
    public bool Caching { get; private set; }

    /// <summary>About how many bytes the watches hold.</summary>
    public long Bytes { get; private set; }

    /// <summary>Applies a command.</summary>
    /// <param name="command">Such as <c>watch-docs</c> or <c>unwatch-doc</c>.</param>
    /// <param name="parameter">The command's parameter.</param>
    /// <param name="now">The position from which a new watch applies.</param>
    /// <returns>Null, or why the command is refused.</returns>
    public string? Take(string command, string? parameter, long now)
    {
        var watches = command.StartsWith("watch-", StringComparison.Ordinal);
        if (!watches && !command.StartsWith("unwatch-", StringComparison.Ordinal))
            return $"'{command}' is no command";
        var what = command[(watches ? "watch-" : "unwatch-").Length..];
        if (
            watches
            && _ids.Count + _prefixes.Count + _collections.Count + _indexes.Count + _operations.Count >= MaxWatches
        )
        {
            return $"one connection can watch at most {MaxWatches} things";
        }

        switch (what)
        {
            case "docs":
                _all = watches ? now : null;
                return null;
            case "indexes":
                _allIndexes = watches;
                return null;
            case "operations":
                _allOperations = watches;
                return null;
            case "aggressive-caching":
                Caching = watches;
                return null;
            case "topology-change":
                // There is only one node, so the topology never changes.
                return null;
            case "doc" or "prefix" or "collection" or "index" or "operation" when string.IsNullOrEmpty(parameter):
                return $"'{command}' needs 'Param'";
            case "doc" or "prefix" or "collection" or "index" or "operation" when parameter!.Length > MaxNameLength:
                return $"'Param' has {parameter.Length} characters; a name has at most {MaxNameLength}";
            case "doc":
                Set(_ids, parameter!, watches, now);
                return null;
            case "prefix":
                Set(_prefixes, parameter!, watches, now);
                return null;
            case "collection":
                Set(_collections, parameter!, watches, now);
                return null;
            case "index":
                Set(_indexes, parameter!, watches);
                return null;
            case "operation":
                Set(_operations, parameter!, watches);
                return null;
            default:
                return $"'{command}' is not supported by this server: documents, indexes and operations can be watched";
        }
    }

    /// <summary>Whether the client watches a document's change.</summary>
    public bool Wants(in Change change)
    {
        var position = change.Position;
        if (
            position > _all
            || (_ids.TryGetValue(change.Id, out var id) && position > id)
            || (_collections.TryGetValue(change.Collection, out var collection) && position > collection)
        )
        {
            return true;
        }

        foreach (var (prefix, since) in _prefixes)
        {
            if (position > since && change.Id.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }

    /// <summary>Whether the client watches an index's changes.</summary>
    public bool WantsIndex(string name) => _allIndexes || _indexes.Contains(name);

    /// <summary>Whether the client watches an operation's changes.</summary>
    public bool WantsOperation(string id) => _allOperations || _operations.Contains(id);

    private void Set(Dictionary<string, long> wishes, string key, bool watches, long now)
    {
        if (watches ? wishes.TryAdd(key, now) : wishes.Remove(key))
            Count(key, watches);
    }

    private void Set(HashSet<string> wishes, string key, bool watches)
    {
        if (watches ? wishes.Add(key) : wishes.Remove(key))
            Count(key, watches);
    }

    private void Count(string key, bool watches)
    {
        var bytes = WishBytes + (2L * key.Length);
        Bytes += watches ? bytes : -bytes;
    }
}
