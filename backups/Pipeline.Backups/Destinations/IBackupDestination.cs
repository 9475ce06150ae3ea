namespace Pipeline.Backups.Destinations;

/// <summary>
/// A place for objects that are written once, whole or not at all. Names are paths of letters, digits, '-', '_', '.' and '/'. Thread-safe.
/// Errors are <see cref="DestinationException"/>.
/// </summary>
public interface IBackupDestination : IAsyncDisposable
{
    /// <summary>Kind and place, without secrets: for messages and for the state that is kept for it.</summary>
    string Description { get; }

    /// <summary>
    /// Writes an object, in the place of one that has the name. Others see it whole or not at all. It is durable when this returns, or at the latest when the next
    /// <see cref="SettleAsync"/> does.
    /// </summary>
    Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct);

    /// <summary>Makes all objects durable that were put or listed before the call. Nothing may rely on them before.</summary>
    Task SettleAsync(CancellationToken ct) => Task.CompletedTask;

    /// <summary>Reads an object; null where there is none.</summary>
    Task<byte[]?> GetAsync(string name, CancellationToken ct);

    /// <summary>The objects whose names begin so, in no particular order.</summary>
    IAsyncEnumerable<StoredObject> ListAsync(string prefix, CancellationToken ct);

    /// <summary>Removes an object; nothing where there is none.</summary>
    Task DeleteAsync(string name, CancellationToken ct);
}
