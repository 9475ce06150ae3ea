using System.Globalization;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>What a soak stored, change by change, and so which messages there may be and which there must be.</summary>
internal sealed class SoakModel
{
    private readonly List<SoakChange> _changes = [];
    private readonly Dictionary<string, SoakChange> _last = new(StringComparer.Ordinal);
    private readonly HashSet<long> _seen = [];

    /// <summary>The changes that are the last of their documents: a message of each must arrive.</summary>
    public IEnumerable<long> Required => _last.Values.Select(c => c.Position);

    /// <summary>The next version of a document, at the next position.</summary>
    public SoakChange Add(string id, string key, string text)
    {
        var change = new SoakChange(
            _changes.Count + 1,
            id,
            key,
            (_last.TryGetValue(id, out var before) ? before.Version : 0) + 1,
            text
        );
        _changes.Add(change);
        return _last[id] = change;
    }

    /// <summary>
    /// Records that a worker starts: it may see each document's current version, but never one overwritten before.
    /// </summary>
    public void Start() => _seen.UnionWith(Required);

    /// <summary>Returns the only change that a message with this id can come from.</summary>
    /// <exception cref="InvalidOperationException">No worker can have seen such a change.</exception>
    public SoakChange Find(string messageId)
    {
        var parts = messageId.Split('/');
        if (
            parts is not [.., "soak", var text, "0"]
            || !long.TryParse(text, CultureInfo.InvariantCulture, out var position)
        )
        {
            throw new InvalidOperationException($"'{messageId}' is no message's id");
        }

        return _seen.Contains(position)
            ? _changes[(int)position - 1]
            : throw new InvalidOperationException($"{messageId} is of a change that no worker can have seen");
    }
}

/// <summary>One version of a document.</summary>
internal sealed record SoakChange(long Position, string Id, string Key, int Version, string Text);
