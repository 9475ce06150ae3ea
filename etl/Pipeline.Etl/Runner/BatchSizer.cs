using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Runner;

/// <summary>How many changes the next batch takes: four times as many after each full one, half as many when the task has caught up with few.</summary>
/// <remarks>The cost of a step (a Kafka transaction, a sync) hardly depends on its size, so a backlog is worked off in large steps, and single changes go at once.</remarks>
internal sealed class BatchSizer(BatchConfiguration options)
{
    private int _size = options.MinDocuments;

    /// <summary>Changes of the next batch. Read by any thread.</summary>
    public int Size => Volatile.Read(ref _size);

    /// <summary>Takes what the last batch was.</summary>
    /// <param name="changes">How many changes it held.</param>
    /// <param name="isAtEnd">Whether nothing was left behind it.</param>
    public void Observe(int changes, bool isAtEnd)
    {
        int size = _size;
        if (!isAtEnd && changes >= size) size = (int)Math.Min((long)size * 4, options.MaxDocuments);
        else if (isAtEnd && changes < size / 4) size = Math.Max(size / 2, options.MinDocuments);
        Volatile.Write(ref _size, size);
    }
}
