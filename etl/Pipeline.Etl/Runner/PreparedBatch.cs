using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>What the transform made of one batch of changes, ready to send. Filled by the reader, then owned by the sender, then used again.</summary>
internal sealed class PreparedBatch
{
    public BodyArena Arena { get; } = new();

    public List<OutgoingMessage> Messages { get; } = [];

    /// <summary>Documents of the collection of dead letters: id and JSON.</summary>
    public List<KeyValuePair<string, ReadOnlyMemory<byte>>> DeadLetters { get; } = [];

    /// <summary>The position to store once the messages are confirmed.</summary>
    public long Position { get; set; }

    public int Documents { get; set; }

    public int Filtered { get; set; }

    /// <summary>Bytes of bodies and dead letters.</summary>
    public long Bytes { get; set; }

    public bool IsEmpty => Messages.Count == 0 && DeadLetters.Count == 0;

    public void Reset()
    {
        Arena.Reset();
        Messages.Clear();
        DeadLetters.Clear();
        (Position, Documents, Filtered, Bytes) = (0, 0, 0, 0);
    }
}
