using Pipeline.Database;

namespace Pipeline.Server.Changes;

/// <summary>What one client wants to be told. Each wish holds for what is committed after it. Not thread-safe.</summary>
internal sealed class WatchList
{
    private const int MostWishes = 10_000;
    private readonly Dictionary<string, long> _ids = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _prefixes = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _collections = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _indexes = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _operations = new(StringComparer.Ordinal);
    private long? _all;
    private bool _allIndexes;
    private bool _allOperations;

    /// <summary>Whether it is told that anything changed at all, so that it asks again for what it keeps.</summary>
    public bool Caching { get; private set; }

    /// <summary>Takes a command.</summary>
    /// <param name="command">Such as <c>watch-docs</c> or <c>unwatch-doc</c>.</param>
    /// <param name="parameter">What the command is about.</param>
    /// <param name="now">The position from which on a wish holds.</param>
    /// <returns>Null, or why it cannot be taken.</returns>
    public string? Take(string command, string? parameter, long now)
    {
        var watches = command.StartsWith("watch-", StringComparison.Ordinal);
        if (!watches && !command.StartsWith("unwatch-", StringComparison.Ordinal))
            return $"'{command}' is no command";
        var what = command[(watches ? "watch-" : "unwatch-").Length..];
        if (watches && _ids.Count + _prefixes.Count + _collections.Count + _indexes.Count + _operations.Count >= MostWishes)
            return $"one connection may watch {MostWishes} things";
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
                // There is one node, which stays where it is.
                return null;
            case "doc" or "prefix" or "collection" or "index" or "operation" when string.IsNullOrEmpty(parameter):
                return $"'{command}' needs 'Param'";
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
                _ = watches ? _indexes.Add(parameter!) : _indexes.Remove(parameter!);
                return null;
            case "operation":
                _ = watches ? _operations.Add(parameter!) : _operations.Remove(parameter!);
                return null;
            default:
                return $"'{command}' is not supported by this server: documents, indexes and operations can be watched";
        }
    }

    /// <summary>Whether a document's change is wanted.</summary>
    public bool Wants(in Change change)
    {
        var position = change.Position;
        if (position > _all || (_ids.TryGetValue(change.Id, out var id) && position > id) || (_collections.TryGetValue(change.Collection, out var collection) && position > collection))
            return true;
        foreach (var (prefix, since) in _prefixes)
        {
            if (position > since && change.Id.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }

    /// <summary>Whether an index's change is wanted.</summary>
    public bool WantsIndex(string name) => _allIndexes || _indexes.Contains(name);

    /// <summary>Whether an operation's change is wanted.</summary>
    public bool WantsOperation(string id) => _allOperations || _operations.Contains(id);

    private static void Set(Dictionary<string, long> wishes, string key, bool watches, long now)
    {
        if (watches)
            wishes.TryAdd(key, now);
        else
            wishes.Remove(key);
    }
}
