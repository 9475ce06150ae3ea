using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Transforms;

/// <summary>Messages that transforms made, with the memory of their bodies. Not thread-safe.</summary>
/// <param name="share">The number of buffers that share the memory that is kept between batches.</param>
internal class MessageBuffer(int share = 1)
{
    public BodyArena Arena { get; } = new(share);

    public List<OutgoingMessage> Messages { get; } = [];

    /// <summary>Bytes of bodies and dead letters.</summary>
    public long Bytes { get; set; }

    /// <summary>Empties it and keeps the memory for reuse.</summary>
    public virtual void Reset()
    {
        Arena.Reset();
        Messages.Clear();
        Bytes = 0;
    }
}
