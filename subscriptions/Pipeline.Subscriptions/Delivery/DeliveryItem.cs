using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>Where a change stands between its reading and its acknowledgement.</summary>
internal enum DeliveryState
{
    /// <summary>It is to be given to the worker that has its partition, once it is due.</summary>
    Waiting,

    /// <summary>A worker has it.</summary>
    InFlight,

    /// <summary>It is dealt with.</summary>
    Done,
}

/// <summary>One change on its way. Its neighbours in the window's two lists are kept here.</summary>
internal sealed class DeliveryItem(in Change change, ReadOnlyMemory<byte> payload, SharedChanges? memory)
{
    private readonly Change _change = change;

    public ref readonly Change Change => ref _change;

    /// <summary>What the subscription's projection made of it, as JSON; empty where the document itself is given.</summary>
    public ReadOnlyMemory<byte> Payload { get; } = payload;

    /// <summary>What the change's body lies in.</summary>
    public SharedChanges? Memory { get; } = memory;

    public long Position => _change.Position;

    public int Partition { get; } = DeliveryPartition.Of(change.Id);

    public int Bytes => _change.Body.Data.Length + Payload.Length;

    public DeliveryState State { get; set; }

    /// <summary>How often it was given to a worker and not acknowledged.</summary>
    public int Attempts { get; set; }

    /// <summary>Not to be given before this time, in ticks of UTC.</summary>
    public long DueTicks { get; set; }

    /// <summary>Why it was rejected last.</summary>
    public string? Reason { get; set; }

    /// <summary>It lies before the position and is given once more on request.</summary>
    public bool IsAgain { get; init; }

    public DeliveryItem? PreviousWaiting { get; set; }

    public DeliveryItem? NextWaiting { get; set; }

    public DeliveryItem? PreviousOutstanding { get; set; }

    public DeliveryItem? NextOutstanding { get; set; }
}
