using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>Readers of an index for use again, with the memory that they allocated. Thread-safe.</summary>
internal sealed class ReaderPool(StorageEnvironment environment, FieldCatalog fields, int most) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly Stack<IndexReader> _readers = [];
    private bool _disposed;

    /// <summary>The fields that the readers know.</summary>
    public FieldCatalog Fields { get; } = fields;

    /// <summary>A snapshot of the index as of now.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public IndexReader Open()
    {
        IndexReader? reader;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _readers.TryPop(out reader);
        }

        if (reader is null)
            return new IndexReader(this, environment.BeginRead(nameof(IndexReader)));
        reader.Renew();
        return reader;
    }

    /// <summary>Keeps a reader for use again; closes it if there are enough.</summary>
    public void Return(IndexReader reader)
    {
        lock (_lock)
        {
            if (!_disposed && _readers.Count < most)
            {
                _readers.Push(reader);
                return;
            }
        }

        reader.Close();
    }

    /// <summary>Closes the readers that wait for use again; readers in use are closed when they are returned.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            while (_readers.TryPop(out var reader))
                reader.Close();
        }
    }
}
