using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Runner;

/// <summary>How many changes the next batch takes: four times as many after each full one, half as many when the task has caught up with few, and once a batch has
/// taken the target longer than <see cref="BatchConfiguration.TargetTime"/>, no more than it takes in that.</summary>
/// <remarks>The cost of a step (a Kafka transaction, a sync) hardly depends on its size, so a backlog is worked off in large steps, and single changes go at once.
/// A slow target gets smaller ones: what is sent again after a fault, and what waits for one answer, is bounded in time.</remarks>
internal sealed class BatchSizer(BatchConfiguration options)
{
    private int _size = options.MinDocuments;
    private int _most = options.MaxDocuments;

    /// <summary>Changes of the next batch. Read by any thread.</summary>
    public int Size => Math.Min(Volatile.Read(ref _size), Volatile.Read(ref _most));

    /// <summary>Takes what the last batch was. Called by the reader.</summary>
    /// <param name="changes">How many changes it held.</param>
    /// <param name="isAtEnd">Whether nothing was left behind it.</param>
    public void Observe(int changes, bool isAtEnd)
    {
        int size = Size;
        if (!isAtEnd && changes >= size) size = (int)Math.Min((long)size * 4, options.MaxDocuments);
        else if (isAtEnd && changes < size / 4) size = Math.Max(size / 2, options.MinDocuments);
        Volatile.Write(ref _size, size);
    }

    /// <summary>Takes how long the target took for a batch. Called by the sender.</summary>
    /// <param name="changes">How many changes it held.</param>
    /// <param name="took">From handing it over to the answer.</param>
    public void ObserveSent(int changes, TimeSpan took)
    {
        if (took > options.TargetTime) Volatile.Write(ref _most, Math.Clamp((int)(changes * (options.TargetTime / took)), Math.Min(options.MinDocuments, _most), _most));
        else if (took < options.TargetTime / 2) Volatile.Write(ref _most, (int)Math.Clamp(changes * 4L, _most, Math.Max(_most, options.MaxDocuments)));
    }
}
