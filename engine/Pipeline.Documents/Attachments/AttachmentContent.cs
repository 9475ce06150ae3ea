namespace Pipeline.Documents;

/// <summary>
/// An attachment that is open for reading. It does not change, even if it is written again. For one thread at a time;
/// dispose it soon.
/// </summary>
public sealed class AttachmentContent : IDisposable
{
    private readonly DatabaseSnapshot _snapshot;

    internal AttachmentContent(DatabaseSnapshot snapshot, Attachment info, Stream stream)
    {
        _snapshot = snapshot;
        Info = info;
        Stream = stream;
    }

    /// <summary>Name, type, hash and size.</summary>
    public Attachment Info { get; }

    /// <summary>The content; can seek.</summary>
    public Stream Stream { get; }

    /// <summary>Closes the stream and releases the snapshot.</summary>
    public void Dispose()
    {
        Stream.Dispose();
        _snapshot.Dispose();
    }
}
