using System.Collections.Concurrent;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>How many automatic indexes the databases that share it may have together. Thread-safe.</summary>
/// <remarks>
/// An index keeps about four files open, and a client that only reads can cause one. All together keep at most a
/// quarter of <see cref="OpenFiles.Most"/> open.
/// </remarks>
/// <param name="most">The most of them.</param>
public sealed class AutoIndexBudget(int most)
{
    private const int PartOfOpenFiles = 16;
    private readonly ConcurrentDictionary<IIndexOwner, bool> _members = new();
    private readonly Lock _gate = new();
    private int _making;

    /// <summary>The most automatic indexes of all databases together.</summary>
    public int Most { get; } = OpenFiles.Cap(most, PartOfOpenFiles);

    internal string Reason =>
        Most < most
            ? $"this process may open {OpenFiles.Most} files, which is enough for {Most} of them (LimitNOFILE)"
            : $"the databases of this process have indexing.maxAutoIndexesInAll = {Most} of them (AutoIndexBudget)";

    internal void Join(IIndexOwner indexes) => _members[indexes] = true;

    internal void Leave(IIndexOwner indexes) => _members.TryRemove(indexes, out _);

    /// <summary>Takes a place for an index that is about to be made, until <see cref="End"/>.</summary>
    internal bool TryBegin()
    {
        lock (_gate)
        {
            if (_making + _members.Keys.Sum(m => m.AutomaticCount) >= Most)
                return false;
            _making++;
            return true;
        }
    }

    /// <summary>The index counts by itself, or was not made.</summary>
    internal void End()
    {
        lock (_gate)
            _making--;
    }
}
