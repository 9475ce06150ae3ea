using System.Buffers.Binary;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Delays each sync of a journal file. Until the sync ends, no reader may see a transaction that it makes durable.
/// </summary>
internal sealed class PublicationWatch(Func<StorageEnvironment?> environment)
{
    private const int TransactionAt = 16;
    private readonly Dictionary<int, long> _unsynced = [];

    /// <summary>What was seen too early, or null.</summary>
    public string? Fault { get; private set; }

    /// <summary>Takes an event of the disk before it is done.</summary>
    public void See(DiskEvent happening)
    {
        if (happening.Path?.EndsWith(".journal", StringComparison.Ordinal) != true)
            return;
        if (
            happening.Kind == DiskEventKind.Write
            && happening.Bytes is { Length: >= JournalLayout.EntryHeader } bytes
            && BinaryPrimitives.ReadUInt32LittleEndian(bytes) == JournalLayout.EntryMagic
        )
        {
            var transaction = BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(TransactionAt));
            _unsynced[happening.File] = Math.Min(
                transaction,
                _unsynced.GetValueOrDefault(happening.File, long.MaxValue)
            );
        }
        else if (
            happening.Kind == DiskEventKind.Sync
            && _unsynced.Remove(happening.File, out var first)
            && environment()?.LastCommittedTransaction is { } seen
            && seen >= first
        )
        {
            Fault ??= $"readers see transaction {seen} while the sync of {first} has not returned";
        }
    }
}
