using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>The stores of a database's indexes, which stay open until this is disposed of.</summary>
internal sealed class IndexLeases : IDisposable
{
    private readonly IReadOnlyList<IndexInstance> _leased;
    private int _disposed;

    internal IndexLeases(IReadOnlyList<IndexInstance> leased)
    {
        _leased = leased;
        Stores = [.. leased.Select(i => ($"indexes/{i.Folder}", i.Environment))];
    }

    /// <summary>The stores, and their folders below the database's.</summary>
    public IReadOnlyList<(string Folder, StorageEnvironment Store)> Stores { get; }

    /// <summary>Lets the stores be closed.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        foreach (var instance in _leased)
            instance.Release();
    }
}
