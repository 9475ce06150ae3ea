using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace Pipeline.Storage;

/// <summary>
/// Compresses small values by their common content. Each group of similar values gets a dictionary, which is trained on
/// the values once there are enough of them and kept in a tree of the store. A better one replaces it when the values
/// change. Each value stays readable by itself.
/// </summary>
/// <remarks>
/// <para>
/// Use one instance for a store and tree, for as long as the store is open. <see cref="Encode"/> is for the running
/// write operation,
/// <see cref="Decode"/> for any thread. A value must be decoded in a transaction that sees the one in which it was
/// encoded.
/// </para>
/// <para>
/// Zstandard defines compression with trained dictionaries (RFC 8878, section 5). Values that do not shrink are stored
/// uncompressed, behind one byte.
/// </para>
/// </remarks>
public sealed partial class ValueDictionaries
{
    /// <summary>The most dictionaries of a group. After that the last one stays.</summary>
    public const int MaxDictionaries = LastNumber - FirstNumber + 1;

    internal const byte Plain = 0;
    internal const byte Compressed = 1;
    private const byte FirstNumber = 2;
    private const byte LastNumber = 255;
    private const int KeyBytes = sizeof(uint) + 1;

    /// <summary>Shorter values have nothing to gain.</summary>
    private const int MinBytes = 24;

    /// <summary>A number byte and the length.</summary>
    private const int MaxHeaderBytes = 6;

    /// <summary>A longer value gets a separate buffer.</summary>
    private const int MaxKeptBuffer = 1 << 20;

    private readonly string _tree;
    private readonly int _level;

    /// <summary>
    /// A number is never given twice while the process runs, not even after a rollback, so entries here stay valid. In a
    /// replica, <see cref="Forget"/> keeps them so.
    /// </summary>
    private readonly ConcurrentDictionary<(uint Group, byte Number), ZstdDictionary> _prepared = new();

    // The writer's.
    private readonly Dictionary<uint, GroupState> _groups = [];
    private byte[] _buffer = [];

    /// <summary>Dictionaries of a store.</summary>
    /// <param name="tree">The name of the tree that keeps them, made at first need.</param>
    /// <param name="level">Zstandard's level.</param>
    public ValueDictionaries(string tree, int level = 3)
    {
        ArgumentException.ThrowIfNullOrEmpty(tree);
        (_tree, _level) = (tree, level);
    }

    /// <summary>
    /// Forgets all that is not in the store. Call it when a replica has ended its time as leader and runs no operation:
    /// transactions that had not landed are undone, and the next leader may reuse their numbers for other dictionaries.
    /// </summary>
    public void Forget()
    {
        _prepared.Clear();
        _groups.Clear();
        _allSampleBytes = 0;
    }

    /// <summary>Gives the form in which a value is to be stored.</summary>
    /// <param name="transaction">
    /// The transaction in which it will be. A dictionary that becomes due is made and stored in it: some 30 ms, once.
    /// </param>
    /// <param name="group">Alike values share one; any number.</param>
    /// <param name="value">The value.</param>
    /// <returns>The stored form, valid until the next call.</returns>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    public ReadOnlySpan<byte> Encode(WriteTransaction transaction, uint group, ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        Zstd.Demand("Storing values compressed");
        var buffer = Buffer(value.Length + 1);
        if (value.Length < MinBytes)
            return Keep(value, buffer);
        var state = Current(transaction, group);
        Learn(transaction, group, state, value);
        var header = WriteLength(buffer.Slice(1), value.Length) + 1;
        // Header and all, the result must be shorter than the value.
        var room = buffer.Slice(header, value.Length - header);
        var done = state.Dictionary is { } dictionary
            ? Zstd.TryCompress(value, room, out var written, dictionary)
            : Zstd.TryCompress(value, room, out written, _level);
        state.Count(value.Length, done ? header + written : value.Length);
        if (!done)
            return Keep(value, buffer);
        buffer[0] = state.Dictionary is null ? Compressed : state.Number;
        return buffer.Slice(0, header + written);
    }

    /// <summary>Whether a stored form holds the value uncompressed, behind one byte.</summary>
    public static bool IsPlain(ReadOnlySpan<byte> stored) => stored.Length > 0 && stored[0] == Plain;

    /// <summary>The length of the value that a stored form holds.</summary>
    /// <exception cref="CompressedValueCorruptException">The form is damaged.</exception>
    public static int DecodedLength(ReadOnlySpan<byte> stored)
    {
        if (IsPlain(stored))
            return stored.Length - 1;
        return TryReadLength(stored, out var length, out _)
            ? length
            : throw Damaged(stored, "its length cannot be read");
    }

    /// <summary>Gives a value back.</summary>
    /// <param name="transaction">A transaction that sees the value.</param>
    /// <param name="group">The group it was encoded in.</param>
    /// <param name="stored">Its stored form.</param>
    /// <param name="destination">Where it goes; as long as <see cref="DecodedLength"/> says.</param>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    /// <exception cref="CompressedValueCorruptException">The form is damaged, or its dictionary is missing.</exception>
    public void Decode(Transaction transaction, uint group, ReadOnlySpan<byte> stored, Span<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        if (IsPlain(stored))
        {
            stored.Slice(1).CopyTo(destination);
            return;
        }
        if (!TryReadLength(stored, out var length, out var header) || length != destination.Length)
            throw Damaged(stored, $"it is for {length:N0} bytes, {destination.Length:N0} are expected");
        var dictionary = stored[0] == Compressed ? null : Prepared(transaction, group, stored[0]);
        if (!Zstd.TryDecompress(stored.Slice(header), destination, out var written, dictionary) || written != length)
            throw Damaged(stored, "it cannot be decompressed");
    }

    private Span<byte> Buffer(int length)
    {
        if (length > MaxKeptBuffer)
            return new byte[length];
        if (_buffer.Length < length)
            _buffer = new byte[Math.Min(MaxKeptBuffer, Math.Max(4096, 2 * length))];
        return _buffer;
    }

    private static ReadOnlySpan<byte> Keep(ReadOnlySpan<byte> value, Span<byte> buffer)
    {
        buffer[0] = Plain;
        value.CopyTo(buffer.Slice(1));
        return buffer.Slice(0, value.Length + 1);
    }

    private ZstdDictionary Prepared(Transaction transaction, uint group, byte number)
    {
        if (_prepared.TryGetValue((group, number), out var known))
            return known;
        Span<byte> key = stackalloc byte[KeyBytes];
        WriteKey(key, group, number);
        if (!transaction.TryOpenTree(_tree, out var tree) || !tree.TryGet(key, out var bytes))
        {
            throw new CompressedValueCorruptException(
                "A compressed value",
                $"tree '{_tree}' has no dictionary {number} of group {group}, which it refers to"
            );
        }

        return _prepared.GetOrAdd((group, number), Prepare(bytes, group, number));
    }

    private ZstdDictionary Prepare(ReadOnlySpan<byte> bytes, uint group, byte number)
    {
        try
        {
            return new ZstdDictionary(bytes, _level);
        }
        catch (ArgumentException e)
        {
            throw new CompressedValueCorruptException(
                $"Dictionary {number} of group {group} in tree '{_tree}'",
                e.Message,
                e
            );
        }
    }

    private static void WriteKey(Span<byte> key, uint group, byte number)
    {
        BinaryPrimitives.WriteUInt32BigEndian(key, group);
        key[sizeof(uint)] = number;
    }

    private static int WriteLength(Span<byte> target, int length)
    {
        var at = 0;
        for (var rest = (uint)length; ; rest >>= 7)
        {
            target[at++] = (byte)(rest < 0x80 ? rest : rest | 0x80);
            if (rest < 0x80)
                return at;
        }
    }

    private static bool TryReadLength(ReadOnlySpan<byte> stored, out int length, out int header)
    {
        var value = 0UL;
        (length, header) = (0, 0);
        for (var i = 1; i < stored.Length && i < MaxHeaderBytes; i++)
        {
            value |= (ulong)(stored[i] & 0x7F) << (7 * (i - 1));
            if (stored[i] >= 0x80)
                continue;
            (length, header) = ((int)Math.Min(value, int.MaxValue), i + 1);
            return value <= int.MaxValue;
        }
        return false;
    }

    private static CompressedValueCorruptException Damaged(ReadOnlySpan<byte> stored, string reason) =>
        new($"A compressed value of {stored.Length:N0} stored bytes", reason);
}
