using Pipeline.Database;
using Pipeline.Database.Json;

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

/// <summary>One change on its way, and after that another one: <see cref="Generation"/> tells them apart. Its neighbours in the window's two lists are kept here.</summary>
internal sealed class DeliveryItem
{
    private Change _change;
    private int _slot;

    /// <summary>Makes one that holds no change yet.</summary>
    public DeliveryItem()
    {
    }

    /// <summary>Makes one with memory of its own.</summary>
    public DeliveryItem(in Change change, ReadOnlyMemory<byte> payload) => Begin(change, payload, null, 0);

    /// <summary>How many changes it has been before.</summary>
    public int Generation { get; private set; }

    public ref readonly Change Change => ref _change;

    /// <summary>What the subscription's projection made of it, as JSON; empty where the document itself is given.</summary>
    public ReadOnlyMemory<byte> Payload { get; private set; }

    /// <summary>Whether it is given with the version before.</summary>
    public bool IsPair { get; set; }

    /// <summary>The version before, and whether it is known; nothing where the subscription does not give versions.</summary>
    public (Document? Document, bool IsKnown) Previous { get; set; }

    /// <summary>What the change's body lies in; null where that is the item's own.</summary>
    public SharedChanges? Memory { get; private set; }

    public long Position => _change.Position;

    public int Partition { get; private set; }

    public int Bytes => _change.Body.Data.Length + Payload.Length + (Previous.Document?.Body.Data.Length ?? 0);

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

    /// <summary>Marked while a checkpoint is computed.</summary>
    public bool IsSettling { get; set; }

    /// <summary>Becomes a change.</summary>
    public void Begin(in Change change, ReadOnlyMemory<byte> payload, SharedChanges? memory, int slot)
    {
        (_change, Payload, Memory, _slot) = (change, payload, memory, slot);
        Partition = DeliveryPartition.Of(change.Id);
    }

    /// <summary>Its change is over.</summary>
    public void End()
    {
        Generation++;
        _change = default;
        (Payload, Memory, Reason, State, Attempts, DueTicks) = (default, null, null, default, 0, 0);
        (IsPair, Previous) = (false, default);
        (PreviousWaiting, NextWaiting, PreviousOutstanding, NextOutstanding) = (null, null, null, null);
    }

    /// <summary>Takes its body into memory of its own: one that waits long does not hold what was read with it.</summary>
    public void Detach()
    {
        if (Memory is not { } memory) return;
        _change = _change with { Body = new BinaryJson(_change.Body.Data.ToArray()) };
        Memory = null;
        memory.Forget(_slot);
        memory.Release();
    }
}
