namespace Pipeline.Backups.Destinations;

/// <summary>
/// A store of objects. Each is written once and appears complete or not at all. Names are paths of letters, digits,
/// '-', '_', '.' and '/'. Thread-safe. Errors are <see cref="DestinationException"/>.
/// </summary>
public interface IBackupDestination : IAsyncDisposable
{
    /// <summary>Kind and place without secrets, for messages and for the state stored for it.</summary>
    string Description { get; }

    /// <summary>
    /// Writes an object and replaces any with the same name. Readers see it complete or not at all. It is durable when
    /// this call returns, or at the latest when the next <see cref="SettleAsync"/> returns.
    /// </summary>
    Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct);

    /// <summary>
    /// Makes all objects durable that were put or listed before the call. Until then, nothing may rely on them.
    /// </summary>
    Task SettleAsync(CancellationToken ct) => Task.CompletedTask;

    /// <summary>Reads an object; null if it does not exist.</summary>
    Task<byte[]?> GetAsync(string name, CancellationToken ct);

    /// <summary>The objects whose names have the prefix, in no particular order.</summary>
    IAsyncEnumerable<StoredObject> ListAsync(string prefix, CancellationToken ct);

    /// <summary>Deletes an object; does nothing if it does not exist.</summary>
    Task DeleteAsync(string name, CancellationToken ct);
}

/// <summary>An object at a destination.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="Modified">When it was written.</param>
public readonly record struct StoredObject(string Name, long Length, DateTimeOffset Modified);
