namespace Pipeline.Server.Changes;

/// <summary>
/// The memory that the web sockets of all databases use for their watches and for unread notices. Thread-safe.
/// </summary>
/// <param name="most">
/// The bytes from which a connection may use no more than its share. All together use twice as much at most.
/// </param>
internal sealed class ChangesMemory(long most)
{
    private long _taken;
    private int _connections;

    /// <summary>Bytes in use.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>Adds a connection to those that share the memory.</summary>
    public void Join() => Interlocked.Increment(ref _connections);

    /// <summary>Removes a connection and releases its memory.</summary>
    public void Leave(long bytes)
    {
        Interlocked.Decrement(ref _connections);
        Return(bytes);
    }

    /// <summary>Takes bytes.</summary>
    public void Take(long bytes) => Interlocked.Add(ref _taken, bytes);

    /// <summary>Gives bytes back.</summary>
    public void Return(long bytes) => Interlocked.Add(ref _taken, -bytes);

    /// <summary>Whether all connections use too much and one with this many bytes uses more than its share.</summary>
    public bool IsTooMuch(long bytes) => Taken > most && bytes > most / Math.Max(1, Volatile.Read(ref _connections));
}
