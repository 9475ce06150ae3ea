using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Pipeline.Storage;

/// <summary>
/// The open snapshots: one slot per reader, claimed without a lock, each on a separate cache line. A slot holds the
/// snapshot, which no flush may overtake, and the epoch of its beginning, which no reclaimed memory may be older than.
/// </summary>
/// <remarks>
/// Correctness rests on the order. A reader marks its slot as choosing, passes a full fence and only then reads which
/// snapshot is published; the flush unlinks, passes a full fence and then reads the slots, waiting for those that are
/// choosing. So either the flush sees the reader, or the reader began after the unlinking and cannot reach the unlinked
/// versions. A slot never shows a snapshot that its reader does not take: the flush could otherwise stop at a
/// transaction whose versions it has already freed as unneeded.
/// </remarks>
internal sealed unsafe class ReaderTable : IDisposable
{
    private const long Free = 0;
    private const long Claimed = -1;
    private const long WriterThread = -1;
    private const long Choosing = -1;
    private readonly int _capacity;
    private readonly AnonymousMemory _memory;
    private int _used;
    private long _epoch = 1;

    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Slot
    {
        public long Owner;
        public long Snapshot;
        public long Epoch;
        public long StartedAt;
        public long ThreadId;
        public long PageCount;
    }

    private readonly StorageFaults _faults;

    public ReaderTable(int capacity, StorageFaults faults = StorageFaults.None)
    {
        (_capacity, _faults) = (capacity, faults);
        _memory = new AnonymousMemory((long)capacity * sizeof(Slot));
    }

    private Slot* Slots => (Slot*)_memory.Address;

    /// <summary>Takes a slot for the snapshot that <paramref name="published"/> names.</summary>
    /// <exception cref="InvalidOperationException">All slots are taken.</exception>
    public int Register(ref StoreState published, long startedAt, out StoreState state)
    {
        var index = Claim();
        state = Renew(index, ref published, startedAt);
        return index;
    }

    /// <summary>
    /// Makes a slot that is held, with a snapshot or without, one of the snapshot that <paramref name="published"/>
    /// names. Takes no other slot and does not wait; the slot stops keeping its former snapshot.
    /// </summary>
    public StoreState Renew(int index, ref StoreState published, long startedAt)
    {
        var slot = Slots + index;
        if (StepHook.IsOn && _faults != StorageFaults.None)
            return RenewWrongly(slot, ref published, startedAt);
        slot->StartedAt = startedAt;
        slot->ThreadId = Environment.CurrentManagedThreadId;
        Volatile.Write(ref slot->Epoch, Volatile.Read(ref _epoch));
        StepHook.At(StorageStep.ReaderClaimed);
        Interlocked.Exchange(ref slot->Snapshot, Choosing);
        // ARM's exchange orders what comes before it with what comes after it, but not its own store with a later load.
        if (!X86Base.IsSupported)
            Interlocked.MemoryBarrier();
        StepHook.At(StorageStep.ReaderChoosing);
        var state = Volatile.Read(ref published);
        StepHook.At(StorageStep.ReaderChosen);
        slot->PageCount = state.PageCount;
        Volatile.Write(ref slot->Snapshot, state.TransactionId + 1);
        return state;
    }

    /// <summary>As <see cref="Renew"/>, with a bug that a test has planted.</summary>
    private StoreState RenewWrongly(Slot* slot, ref StoreState published, long startedAt)
    {
        slot->StartedAt = startedAt;
        slot->ThreadId = Environment.CurrentManagedThreadId;
        StoreState state;
        if ((_faults & StorageFaults.ReaderWithoutFence) != 0)
        {
            // What a processor may make of it: the read is done while the stores before it still wait to be seen by
            // others.
            state = Volatile.Read(ref published);
            StepHook.At(StorageStep.ReaderChosen);
            Volatile.Write(ref slot->Epoch, Volatile.Read(ref _epoch));
            Volatile.Write(ref slot->Snapshot, Choosing);
        }
        else
        {
            Volatile.Write(ref slot->Epoch, Volatile.Read(ref _epoch));
            StepHook.At(StorageStep.ReaderClaimed);
            if ((_faults & StorageFaults.ReaderFenceLeftOut) != 0)
                Volatile.Write(ref slot->Snapshot, Choosing);
            else if ((_faults & StorageFaults.ReaderNotChoosing) == 0)
                Interlocked.Exchange(ref slot->Snapshot, Choosing);
            else
                Interlocked.MemoryBarrier();
            StepHook.At(StorageStep.ReaderChoosing);
            state = Volatile.Read(ref published);
            StepHook.At(StorageStep.ReaderChosen);
        }
        slot->PageCount = state.PageCount;
        Volatile.Write(ref slot->Snapshot, state.TransactionId + 1);
        return state;
    }

    /// <summary>Takes the slot that the writer keeps; nothing is held by it until <see cref="Enter"/>.</summary>
    public int ClaimWriter()
    {
        var index = Claim();
        Slots[index].ThreadId = WriterThread;
        return index;
    }

    /// <summary>Begins a write transaction over the snapshot, which may be newer than the published one.</summary>
    public void Enter(int index, long snapshot)
    {
        var slot = Slots + index;
        Volatile.Write(ref slot->Epoch, Volatile.Read(ref _epoch));
        Volatile.Write(ref slot->Snapshot, snapshot + 1);
        Interlocked.MemoryBarrier();
    }

    /// <summary>Lets go of a snapshot, or ends a write transaction; the slot stays the caller's.</summary>
    public void Leave(int index)
    {
        Volatile.Write(ref Slots[index].Snapshot, 0);
        Volatile.Write(ref Slots[index].Epoch, 0);
    }

    /// <summary>Gives a slot back; the reader must not touch a page any more.</summary>
    public void Release(int index)
    {
        var slot = Slots + index;
        Volatile.Write(ref slot->Snapshot, 0);
        Volatile.Write(ref slot->Epoch, 0);
        Volatile.Write(ref slot->Owner, Free);
    }

    /// <summary>
    /// Ends the current epoch and returns it. Versions unlinked before the call are unreachable once no slot has this
    /// epoch or an older one.
    /// </summary>
    public long AdvanceEpoch()
    {
        Interlocked.MemoryBarrier();
        return Interlocked.Increment(ref _epoch) - 1;
    }

    /// <summary>The oldest epoch of an open slot, or <see cref="long.MaxValue"/>.</summary>
    public long OldestEpoch()
    {
        Interlocked.MemoryBarrier();
        var oldest = long.MaxValue;
        for (var i = 0; i < Volatile.Read(ref _used); i++)
        {
            var epoch = Volatile.Read(ref Slots[i].Epoch);
            if (epoch != 0)
                oldest = Math.Min(oldest, epoch);
        }
        return oldest;
    }

    /// <summary>The oldest snapshot that is open, at most the given one.</summary>
    public long OldestSnapshot(long atMost) => OldestSnapshot(atMost, out _);

    /// <summary>
    /// Returns the oldest open snapshot, at most the given one, and the largest page count of the open snapshots older
    /// than the given one.
    /// </summary>
    public long OldestSnapshot(long atMost, out long pageCount)
    {
        Interlocked.MemoryBarrier();
        var oldest = atMost;
        pageCount = 0;
        for (var i = 0; i < Volatile.Read(ref _used); i++)
        {
            var snapshot = ChosenSnapshot(i);
            if (snapshot == 0 || snapshot - 1 >= atMost)
                continue;
            oldest = Math.Min(oldest, snapshot - 1);
            // That of a later snapshot, if the slot was given one since: then the one that was seen needs nothing any
            // more.
            pageCount = Math.Max(pageCount, Volatile.Read(ref Slots[i].PageCount));
        }
        return oldest;
    }

    /// <summary>All open snapshots, the writer's among them.</summary>
    public int CopySnapshots(Span<long> snapshots)
    {
        Interlocked.MemoryBarrier();
        var count = 0;
        for (var i = 0; i < Volatile.Read(ref _used); i++)
        {
            var snapshot = ChosenSnapshot(i);
            if (snapshot == 0)
                continue;
            if (count == snapshots.Length)
                return -1;
            snapshots[count++] = snapshot - 1;
        }
        return count;
    }

    /// <summary>The snapshot and start of the reader in a slot, if there is one that is open.</summary>
    public bool TryGet(int index, out long snapshot, out long startedAt)
    {
        var slot = Slots[index];
        (snapshot, startedAt) = (slot.Snapshot - 1, slot.StartedAt);
        return slot.Snapshot != 0 && slot.ThreadId != WriterThread;
    }

    /// <summary>
    /// The number of open readers and the oldest one's snapshot, start and thread; the writer's slot does not count.
    /// </summary>
    public (int Count, long Snapshot, long StartedAt, int ThreadId) Describe()
    {
        var count = 0;
        var (oldest, startedAt, thread) = (long.MaxValue, 0L, 0L);
        for (var i = 0; i < Volatile.Read(ref _used); i++)
        {
            var slot = Slots[i];
            if (slot.Snapshot is 0 or Choosing || slot.ThreadId == WriterThread)
                continue;
            count++;
            if (slot.Snapshot - 1 < oldest)
                (oldest, startedAt, thread) = (slot.Snapshot - 1, slot.StartedAt, slot.ThreadId);
        }
        return (count, oldest, startedAt, (int)thread);
    }

    public void Dispose() => _memory.Dispose();

    private long ChosenSnapshot(int index)
    {
        var wait = default(SpinWait);
        while (true)
        {
            StepHook.At(StorageStep.SlotRead);
            var snapshot = Volatile.Read(ref Slots[index].Snapshot);
            if (snapshot != Choosing)
                return snapshot;
            StepHook.At(StorageStep.SlotWait);
            wait.SpinOnce();
        }
    }

    private int Claim()
    {
        // Threads begin at different slots, so that they seldom meet at one.
        // A slot is taken only within the range that scans of the slots cover.
        var used = Volatile.Read(ref _used);
        var start = used == 0 ? 0 : Environment.CurrentManagedThreadId % used;
        for (var i = 0; i < used; i++)
        {
            var index = start + i < used ? start + i : start + i - used;
            if (TryClaim(index))
                return index;
        }
        for (var index = 0; index < _capacity; index++)
        {
            if (!TryClaim(index))
                continue;
            int seen;
            while ((seen = Volatile.Read(ref _used)) <= index)
                Interlocked.CompareExchange(ref _used, index + 1, seen);
            return index;
        }
        throw new InvalidOperationException(
            $"All {_capacity:N0} readers are open (StorageOptions.MaxReaders): dispose read transactions when they are no longer needed."
        );
    }

    private bool TryClaim(int index)
    {
        ref var owner = ref Slots[index].Owner;
        return Volatile.Read(ref owner) == Free && Interlocked.CompareExchange(ref owner, Claimed, Free) == Free;
    }
}
