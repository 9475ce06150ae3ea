using Pipeline.Documents;
using Pipeline.Json;

namespace Pipeline.Subscriptions;

/// <summary>The state of a change between reading and acknowledgement.</summary>
internal enum DeliveryState
{
    /// <summary>It waits for the worker that has its partition, and until it is due.</summary>
    Waiting,

    /// <summary>A worker has it.</summary>
    InFlight,

    /// <summary>It is settled.</summary>
    Done,
}

/// <summary>
/// A change between reading and acknowledgement. An item is reused for other changes; <see cref="Generation"/> tells
/// them apart. It also holds its links in the window's two lists.
/// </summary>
internal sealed class DeliveryItem
{
    private Change _change;
    private int _slot;

    /// <summary>Creates an item that holds no change yet.</summary>
    public DeliveryItem() { }

    /// <summary>Creates an item that owns its memory.</summary>
    public DeliveryItem(in Change change, ReadOnlyMemory<byte> payload) => Begin(change, payload, null, 0);

    /// <summary>How many changes the item has held before this one.</summary>
    public int Generation { get; private set; }

    public ref readonly Change Change => ref _change;

    /// <summary>
    /// The output of the subscription's projection, as JSON; empty if the document itself is delivered.
    /// </summary>
    public ReadOnlyMemory<byte> Payload { get; private set; }

    /// <summary>Whether it is delivered with the version before it.</summary>
    public bool IsPair { get; set; }

    /// <summary>
    /// The version before it, and whether that is known; default if the subscription does not deliver versions.
    /// </summary>
    public (Document? Document, bool IsKnown) Previous { get; set; }

    /// <summary>The memory that holds the change's body; null if the item owns it.</summary>
    public SharedChanges? Memory { get; private set; }

    public long Position => _change.Position;

    public int Partition { get; private set; }

    public int Bytes => _change.Body.Data.Length + Payload.Length + (Previous.Document?.Body.Data.Length ?? 0);

    public DeliveryState State { get; set; }

    /// <summary>How many times it was delivered without being acknowledged.</summary>
    public int Attempts { get; set; }

    /// <summary>The time before which it is not delivered, in UTC ticks.</summary>
    public long DueTicks { get; set; }

    /// <summary>Why it was last rejected.</summary>
    public string? Reason { get; set; }

    /// <summary>Whether it lies before the position and is delivered again on request.</summary>
    public bool IsAgain { get; init; }

    public DeliveryItem? PreviousWaiting { get; set; }

    public DeliveryItem? NextWaiting { get; set; }

    public DeliveryItem? PreviousOutstanding { get; set; }

    public DeliveryItem? NextOutstanding { get; set; }

    /// <summary>Set while a checkpoint is computed.</summary>
    public bool IsSettling { get; set; }

    /// <summary>Starts to hold a change.</summary>
    public void Begin(in Change change, ReadOnlyMemory<byte> payload, SharedChanges? memory, int slot)
    {
        (_change, Payload, Memory, _slot) = (change, payload, memory, slot);
        Partition = DeliveryPartition.Of(change.Id);
    }

    /// <summary>Releases the change.</summary>
    public void End()
    {
        Generation++;
        _change = default;
        (Payload, Memory, Reason, State, Attempts, DueTicks) = (default, null, null, default, 0, 0);
        (IsPair, Previous) = (false, default);
        (PreviousWaiting, NextWaiting, PreviousOutstanding, NextOutstanding) = (null, null, null, null);
    }

    /// <summary>
    /// Copies the body into the item's own memory, so that a long wait does not keep the whole shared batch in memory.
    /// </summary>
    public void Detach()
    {
        if (Memory is not { } memory)
            return;
        _change = _change with { Body = new BinaryJson(_change.Body.Data.ToArray()) };
        Memory = null;
        memory.Forget(_slot);
        memory.Release();
    }
}
