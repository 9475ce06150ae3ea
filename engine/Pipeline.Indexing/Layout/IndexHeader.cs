using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>The state of an index as of a commit: one record of its store.</summary>
internal readonly record struct IndexHeader
{
    /// <summary>The version of the stored form that this code writes and reads.</summary>
    public const int Format = 1;

    private const int Size = 48;

    /// <summary>All entries ever made; the next one has this number.</summary>
    public int EntryCount { get; init; }

    /// <summary>Deleted entries.</summary>
    public int Gone { get; init; }

    /// <summary>Those of them that posting lists may still have.</summary>
    public int Pending { get; init; }

    /// <summary>Those of them that a purge under way takes out.</summary>
    public int Purging { get; init; }

    /// <summary>The position of the source up to which the index shows it.</summary>
    public long Progress { get; init; }

    /// <summary>The number of the next posting list.</summary>
    public ulong NextList { get; init; }

    /// <summary>The key under which a purge in progress keeps the term at which it resumes.</summary>
    public static ReadOnlySpan<byte> PurgeKey => "purge"u8;

    private static ReadOnlySpan<byte> Key => "index"u8;

    /// <summary>Reads the state in a snapshot; that of an empty index if there is none.</summary>
    /// <exception cref="IndexCorruptException">The record is damaged, or of a newer version.</exception>
    public static IndexHeader Read(Transaction transaction)
    {
        if (!transaction.TryOpenTree(IndexTrees.State, out var tree) || !tree.TryGet(Key, out var value))
            return default;
        if (value.Length != Size)
            throw IndexTrees.Corrupt(IndexTrees.State, Key, $"the record has {value.Length} bytes, not {Size}");
        var format = BinaryPrimitives.ReadInt32LittleEndian(value);
        if (format != Format)
        {
            throw IndexTrees.Corrupt(
                IndexTrees.State,
                Key,
                $"the index has format {format}; this version knows {Format}"
            );
        }

        var state = new IndexHeader
        {
            EntryCount = BinaryPrimitives.ReadInt32LittleEndian(value[4..]),
            Gone = BinaryPrimitives.ReadInt32LittleEndian(value[8..]),
            Pending = BinaryPrimitives.ReadInt32LittleEndian(value[12..]),
            Purging = BinaryPrimitives.ReadInt32LittleEndian(value[16..]),
            Progress = BinaryPrimitives.ReadInt64LittleEndian(value[24..]),
            NextList = BinaryPrimitives.ReadUInt64LittleEndian(value[32..]),
        };
        if (
            state.EntryCount < 0
            || state.Purging < 0
            || state.Purging > state.Pending
            || state.Pending > state.Gone
            || state.Gone > state.EntryCount
        )
        {
            throw IndexTrees.Corrupt(IndexTrees.State, Key, "the counts of entries contradict each other");
        }

        return state;
    }

    /// <summary>Puts the record into a log.</summary>
    public void Write(PutLog log)
    {
        var value = log.Reserve(Key, Size);
        value.Clear();
        BinaryPrimitives.WriteInt32LittleEndian(value, Format);
        BinaryPrimitives.WriteInt32LittleEndian(value[4..], EntryCount);
        BinaryPrimitives.WriteInt32LittleEndian(value[8..], Gone);
        BinaryPrimitives.WriteInt32LittleEndian(value[12..], Pending);
        BinaryPrimitives.WriteInt32LittleEndian(value[16..], Purging);
        BinaryPrimitives.WriteInt64LittleEndian(value[24..], Progress);
        BinaryPrimitives.WriteUInt64LittleEndian(value[32..], NextList);
    }
}
