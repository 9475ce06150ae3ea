using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Runner;

/// <summary>Computes how many changes the next batch takes. The size quadruples after each full batch and halves when
/// the task has caught up with few changes. After a batch has taken longer than
/// <see cref="BatchConfiguration.TargetTime"/>, the size is limited to what the target handles in that time.</summary>
/// <remarks>A step (a Kafka transaction, a sync) costs about the same at any size. So a backlog is sent in large
/// batches, and single changes at once. A slow target gets smaller batches, which bounds the time to resend one after a
/// fault and the time to wait for an answer.</remarks>
internal sealed class BatchSizer(BatchConfiguration options)
{
    private int _size = options.MinDocuments;
    private int _max = options.MaxDocuments;

    /// <summary>The number of changes in the next batch. May be read by any thread.</summary>
    public int Size => Math.Min(Volatile.Read(ref _size), Volatile.Read(ref _max));

    /// <summary>Adapts the size to the last batch. Called by the reader.</summary>
    /// <param name="changes">How many changes it held.</param>
    /// <param name="isAtEnd">Whether no change was left after it.</param>
    public void Observe(int changes, bool isAtEnd)
    {
        var size = Size;
        if (!isAtEnd && changes >= size)
            size = (int)Math.Min((long)size * 4, options.MaxDocuments);
        else if (isAtEnd && changes < size / 4)
            size = Math.Max(size / 2, options.MinDocuments);
        Volatile.Write(ref _size, size);
    }

    /// <summary>Adapts the size to the time that the target took for a batch. Called by the sender.</summary>
    /// <param name="changes">How many changes it held.</param>
    /// <param name="took">The time from handing it over to the answer.</param>
    public void ObserveSent(int changes, TimeSpan took)
    {
        if (took > options.TargetTime)
        {
            Volatile.Write(
                ref _max,
                Math.Clamp((int)(changes * (options.TargetTime / took)), Math.Min(options.MinDocuments, _max), _max)
            );
        }
        else if (took < options.TargetTime / 2)
        {
            Volatile.Write(ref _max, (int)Math.Clamp(changes * 4L, _max, Math.Max(_max, options.MaxDocuments)));
        }
    }
}
