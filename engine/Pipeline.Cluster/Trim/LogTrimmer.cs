using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Records which holder needs the log from which place, and trims the log. The holders are kept in a tree of the
/// replicated store, so every node and the next leader know them, and copies and backups contain them. Thread-safe.
/// </summary>
/// <param name="store">The node's store.</param>
/// <param name="log">The log.</param>
/// <param name="options">How much is kept.</param>
/// <param name="time">The clock.</param>
/// <param name="origin">Identifies the log. Places in another log mean nothing here.</param>
internal sealed class LogTrimmer(
    StorageEnvironment store,
    ISharedLog log,
    TrimOptions options,
    TimeProvider time,
    Func<Chain> origin
)
{
    /// <summary>The tree: kind and name → place, time, origin of the log.</summary>
    public const string Tree = "log-holders";

    private const int OriginAt = 16,
        ValueBytes = OriginAt + Chain.Length,
        MaxNameBytes = LogRecord.MaxNameBytes;

    /// <summary>The holders of this log as of the accepted state.</summary>
    public IReadOnlyList<LogHolder> List()
    {
        using var snapshot = store.BeginRead("log holders");
        return Read(snapshot, origin());
    }

    /// <summary>
    /// Records at the leader from where a holder needs the log. A small advance of a member is not worth a transaction,
    /// so nothing is written then. A member that is refilled reports it, and may name an earlier place than before.
    /// </summary>
    /// <param name="kind">Node or backup.</param>
    /// <param name="name">Its name, at most 255 bytes of UTF-8.</param>
    /// <param name="place">The first place that it needs.</param>
    /// <param name="ct">Cancels the report if its write has not begun.</param>
    /// <returns>Whether the report was written.</returns>
    /// <exception cref="NotLeaderException">This node does not lead.</exception>
    /// <exception cref="NotAcceptedException">
    /// The log does not have the report, or it is unknown whether it does.
    /// </exception>
    public async Task<bool> ReportAsync(LogHolderKind kind, string name, long place, CancellationToken ct = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(place);
        var key = Key(kind, name);
        var (now, here) = (time.GetUtcNow(), origin());
        using (var snapshot = store.BeginRead("log holders"))
        {
            if (
                kind == LogHolderKind.Member
                && snapshot.TryOpenTree(Tree, out var tree)
                && tree.TryGet(key, out var known)
                && ReadValue(known) is var (before, seen, of)
                && of == here
                && place >= before
                && place - before < Math.Max(1, options.Step / 4)
                && now - seen < options.GiveUpAfter / 8
            )
            {
                return false;
            }
        }
        await store
            .WriteAsync(
                transaction =>
                {
                    Span<byte> value = stackalloc byte[ValueBytes];
                    BinaryPrimitives.WriteInt64LittleEndian(value, place);
                    BinaryPrimitives.WriteInt64LittleEndian(value[8..], now.UtcTicks);
                    here.Write(value[OriginAt..]);
                    return transaction.CreateTree(Tree).Put(key, value);
                },
                ct
            )
            .ConfigureAwait(false);
        return true;
    }

    /// <summary>
    /// Removes a holder at the leader: a node that does not come back, or a backup that no longer exists.
    /// </summary>
    /// <returns>Whether it was known.</returns>
    /// <exception cref="NotLeaderException">This node does not lead.</exception>
    public Task<bool> RemoveAsync(LogHolderKind kind, string name, CancellationToken ct = default)
    {
        var key = Key(kind, name);
        return store.WriteAsync(
            transaction => transaction.TryOpenTree(Tree, out _) && transaction.CreateTree(Tree).Delete(key),
            ct
        );
    }

    /// <summary>Trims the records that no holder needs. Any node may do so; the leader should.</summary>
    /// <param name="bounds">The places that the log holds, or held a moment ago.</param>
    /// <param name="holders">The holders, with the places that they need.</param>
    /// <param name="now">The time for which the holders are judged.</param>
    /// <param name="ct">Cancels the call.</param>
    /// <returns>The places that the log holds after the trim.</returns>
    public async Task<LogBounds> TrimAsync(
        LogBounds bounds,
        IReadOnlyCollection<LogHolder> holders,
        DateTimeOffset now,
        CancellationToken ct = default
    )
    {
        var first = TrimRule.FirstToKeep(bounds, holders, options, now);
        if (first > bounds.First)
            await log.TrimAsync(first, ct).ConfigureAwait(false);
        return bounds with { First = first };
    }

    private static List<LogHolder> Read(Transaction snapshot, Chain here)
    {
        var holders = new List<LogHolder>();
        if (!snapshot.TryOpenTree(Tree, out var tree))
            return holders;
        using var cursor = tree.OpenCursor();
        for (var any = cursor.Seek([]); any; any = cursor.MoveNext())
        {
            var (place, seen, of) = ReadValue(cursor.Value);
            if (of != here)
                continue;
            holders.Add(
                new LogHolder((LogHolderKind)cursor.Key[0], Encoding.UTF8.GetString(cursor.Key[1..]), place, seen)
            );
        }
        return holders;
    }

    private static (long Place, DateTimeOffset Seen, Chain Origin) ReadValue(ReadOnlySpan<byte> value) =>
        (
            BinaryPrimitives.ReadInt64LittleEndian(value),
            new DateTimeOffset(BinaryPrimitives.ReadInt64LittleEndian(value[8..]), TimeSpan.Zero),
            value.Length < ValueBytes ? default : Chain.Read(value[OriginAt..])
        );

    private static byte[] Key(LogHolderKind kind, string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (Encoding.UTF8.GetByteCount(name) > MaxNameBytes)
            throw new ArgumentException($"The name '{name}' has more than {MaxNameBytes} bytes.", nameof(name));
        return [(byte)kind, .. Encoding.UTF8.GetBytes(name)];
    }
}
