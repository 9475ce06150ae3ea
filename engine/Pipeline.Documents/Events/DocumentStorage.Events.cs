using Pipeline.Documents.Events;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    /// <summary>The events of streams, and their snapshots.</summary>
    public EventStore Events { get; }
}
