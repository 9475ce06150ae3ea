using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Reads a consistent copy of a running node's stores, as frames. The node's own store comes last and is the newest, so
/// no index has a change that the copy lacks. One copy at a time; not thread-safe.
/// </summary>
/// <param name="store">The node's store.</param>
/// <param name="indexes">The other stores of the copy. The caller keeps them open.</param>
/// <param name="findPoint">Finds the published state and its place in the log.</param>
/// <param name="process">Identifies this process, so that the next one can release what a killed one left.</param>
internal sealed class CopySource(
    StorageEnvironment store,
    IReadOnlyList<CopiedStore> indexes,
    Func<CancellationToken, ValueTask<CopyPoint>> findPoint,
    string process
)
{
    /// <summary>The version of the frames.</summary>
    public const int Format = 2;

    private const string HoldPrefix = "refill/";
    private const int PieceBytes = 1 << 20;
    private static long _copies;
    private readonly CopyFrameWriter _frames = new();

    /// <summary>Where the copy continues in the log; known at the end.</summary>
    public ReadPosition? Position { get; private set; }

    /// <summary>Reads the frames. Each piece holds whole frames and is valid until the next one.</summary>
    /// <exception cref="CorruptPageException">A page is damaged here. Use another peer.</exception>
    /// <exception cref="CopyOverrunException">
    /// The journal written during the copy passed <see cref="StorageOptions.MaxHeldJournalBytes"/>.
    /// </exception>
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync(
        [EnumeratorCancellation] CancellationToken ct = default
    )
    {
        BinaryPrimitives.WriteInt32LittleEndian(_frames.Room(4), Format);
        _frames.Add(CopyFrameKind.Begin, 4);
        foreach (var index in indexes)
        {
            await foreach (var piece in ReadAsync(index, isMain: false, ct).ConfigureAwait(false))
                yield return piece;
        }
        await foreach (var piece in ReadAsync(new CopiedStore("", store), isMain: true, ct).ConfigureAwait(false))
            yield return piece;
        _frames.Add(CopyFrameKind.End, 0);
        yield return _frames.Take();
    }

    private async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync(
        CopiedStore copied,
        bool isMain,
        [EnumeratorCancellation] CancellationToken ct
    )
    {
        var environment = copied.Store;
        ReleaseLeft(environment);
        var hold = string.Create(
            System.Globalization.CultureInfo.InvariantCulture,
            $"{HoldPrefix}{process}/{Interlocked.Increment(ref _copies)}"
        );
        // Hold the journal before the first snapshot, so that it is kept from there to the end of the copy.
        var at = environment.HoldLog(hold);
        try
        {
            CopyPoint end;
            long begin;
            using (var scan = new PageScan(environment, "refill"))
            {
                begin = scan.Begin.Transaction;
                AddStore(copied.Folder, scan.UsedPages);
                while (_frames.AddPart(scan))
                {
                    yield return _frames.Take();
                    ct.ThrowIfCancellationRequested();
                    // Reading on would take hours, and the journal could not be read after them.
                    if (environment.LogHolds.All(h => h.Name != hold))
                        throw Overrun(environment);
                }
                var last = scan.Snapshot;
                AddLog(scan.BeginState, isOneSnapshot: last.LogPosition.Transaction == begin);
                end = isMain
                    ? await findPoint(ct).ConfigureAwait(false)
                    : new CopyPoint(ReadPosition.Start, last.LogPosition, last.LogState);
            }
            for (var step = 16L; at.Transaction < end.Through.Transaction; )
            {
                at = ReadPiece(environment, at, Math.Min(at.Transaction + step, end.Through.Transaction), Add, ct);
                step = _frames.Length < PieceBytes ? 2 * step : Math.Max(1, step / 2);
                if (_frames.Length > 0)
                    yield return _frames.Take();
            }
            if (at.Chain != end.Through.Chain)
            {
                throw new LogUnavailableException(
                    environment.Context.Name,
                    at.Transaction,
                    "its chain differs from the expected one"
                );
            }

            AddStoreEnd(end, isMain);
            if (isMain)
                Position = end.Position;

            void Add(Storage.LogState state, int count, ReadOnlySpan<byte> records)
            {
                if (state.Transaction > begin)
                    _frames.AddTransaction(state, count, records);
            }
        }
        finally
        {
            environment.ReleaseLog(hold);
        }
    }

    /// <summary>Makes the frame that ends an incomplete copy and tells the receiver the reason.</summary>
    public ReadOnlyMemory<byte> Fail(string reason)
    {
        var length = Encoding.UTF8.GetByteCount(reason);
        Encoding.UTF8.GetBytes(reason, _frames.Room(length));
        _frames.Add(CopyFrameKind.Failed, length);
        return _frames.Take();
    }

    private static LogPosition ReadPiece(
        StorageEnvironment environment,
        LogPosition at,
        long through,
        LogEntryHandler add,
        CancellationToken ct
    )
    {
        try
        {
            return environment.ReadLogPiece(at, through, add, ct);
        }
        catch (LogUnavailableException e)
        {
            throw Overrun(environment, e);
        }
    }

    private static CopyOverrunException Overrun(StorageEnvironment environment, Exception? inner = null) =>
        new(environment.Context.Name, environment.Context.Options.MaxHeldJournalBytes, inner);

    private void AddStore(string folder, long pages)
    {
        var length = 8 + Encoding.UTF8.GetByteCount(folder);
        var room = _frames.Room(length);
        BinaryPrimitives.WriteInt64LittleEndian(room, pages);
        Encoding.UTF8.GetBytes(folder, room[8..]);
        _frames.Add(CopyFrameKind.Store, length);
    }

    private void AddLog(Storage.LogState begin, bool isOneSnapshot)
    {
        var room = _frames.Room(Storage.LogState.Bytes + 1);
        begin.Write(room);
        room[Storage.LogState.Bytes] = isOneSnapshot ? (byte)1 : (byte)0;
        _frames.Add(CopyFrameKind.Log, room.Length);
    }

    private void AddStoreEnd(in CopyPoint end, bool isMain)
    {
        var room = _frames.Room(Storage.LogState.Bytes + (isMain ? ReadPosition.Bytes : 0));
        room.Clear();
        end.State.Write(room);
        if (isMain)
            end.Position.Write(room[Storage.LogState.Bytes..]);
        _frames.Add(CopyFrameKind.StoreEnd, room.Length);
    }

    /// <summary>Releases the holds of processes that were killed during a copy.</summary>
    private void ReleaseLeft(StorageEnvironment environment)
    {
        foreach (var hold in environment.LogHolds)
        {
            if (
                hold.Name.StartsWith(HoldPrefix, StringComparison.Ordinal)
                && !hold.Name.StartsWith($"{HoldPrefix}{process}/", StringComparison.Ordinal)
            )
            {
                environment.ReleaseLog(hold.Name);
            }
        }
    }
}
