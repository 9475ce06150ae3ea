namespace Pipeline.Documents;

/// <summary>
/// A content that is ready to become an attachment, of as many documents as wanted, in any later commit. One of up to
/// 512 KiB is in memory and is stored with that commit; a greater one is durable already and is removed at disposal, or
/// when the database is next opened, unless a document has it by then. Thread-safe.
/// </summary>
public sealed class StagedAttachment : IAsyncDisposable
{
    private readonly Func<long, Task>? _drop;

    internal StagedAttachment(Func<long, Task>? drop, long number, ReadOnlyMemory<byte> inline, byte[] hash, long size)
    {
        _drop = drop;
        Number = number;
        Inline = inline;
        HashBytes = hash;
        Size = size;
    }

    /// <summary>SHA-256 of the content in base64.</summary>
    public string Hash => Convert.ToBase64String(HashBytes);

    /// <summary>Bytes of the content.</summary>
    public long Size { get; }

    /// <summary>The upload; 0 for a content in memory.</summary>
    internal long Number { get; }

    internal ReadOnlyMemory<byte> Inline { get; }

    internal byte[] HashBytes { get; }

    /// <summary>Gives the content up where no document has it.</summary>
    /// <returns>Done when it is removed.</returns>
    public ValueTask DisposeAsync() => _drop is null || Number == 0 ? default : new ValueTask(_drop(Number));
}
