using Pipeline.Etl.Configuration;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// The last documents that a task takes, oldest first. They are valid until it is disposed.
/// </summary>
internal sealed class LastDocuments : IDisposable
{
    private const int FirstWindow = 1024;
    private const int Growth = 8;

    private readonly CursorBatch _batch;

    private LastDocuments(CursorBatch batch, int count)
    {
        _batch = batch;
        Documents = [.. batch.Changes.Skip(batch.Changes.Count - count).Select(c => c.Document)];
    }

    /// <summary>The state that they are read from.</summary>
    public IFeedSnapshot Snapshot => _batch.Snapshot;

    /// <summary>The documents.</summary>
    public IReadOnlyList<ScriptDocument> Documents { get; }

    /// <summary>Reads them.</summary>
    /// <param name="feed">The database.</param>
    /// <param name="task">The task.</param>
    /// <param name="name">A name for the cursor, which is not stored.</param>
    /// <param name="count">How many.</param>
    public static LastDocuments Read(IChangeFeed feed, EtlTaskConfiguration task, string name, int count)
    {
        var cursor = DurableCursor.Open(feed, name, task.ToFilter() with { Deletes = false });

        // Reads from further and further back, since a collection's last documents may be anywhere in the feed.
        for (var window = Math.Max(FirstWindow, 4L * count); ; window *= Growth)
        {
            var batch = cursor.ReadBatch(Math.Max(0, feed.LastPosition - window), int.MaxValue, long.MaxValue);
            if (batch.Changes.Count >= count || window >= feed.LastPosition)
                return new LastDocuments(batch, Math.Min(count, batch.Changes.Count));
            batch.Dispose();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _batch.Dispose();
}
