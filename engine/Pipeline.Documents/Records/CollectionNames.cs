using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Maps names to numbers: the durable part of the <c>collections</c> tree, kept in memory. Thread-safe.
/// </summary>
/// <remarks>
/// A number never changes its name and is never reused, so an entry, once durable, is valid for every snapshot.
/// </remarks>
internal sealed class CollectionNames
{
    private const int MaxSpellings = 20_000;

    private readonly ConcurrentDictionary<string, int> _bySpelling = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<int, string> _byNumber = new();
    private readonly ConcurrentDictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _lookup;

    internal CollectionNames() => _lookup = _bySpelling.GetAlternateLookup<ReadOnlySpan<char>>();

    internal bool TryGetNumber(ReadOnlySpan<char> spelling, out int number) =>
        _lookup.TryGetValue(spelling, out number);

    internal bool TryGetName(int number, [NotNullWhen(true)] out string? name) =>
        _byNumber.TryGetValue(number, out name);

    internal void Add(string spelling, int number, string name)
    {
        _byNumber.TryAdd(number, name);
        if (_bySpelling.Count < MaxSpellings)
            _bySpelling.TryAdd(spelling, number);
    }

    internal static string Name(int number, Transaction transaction, CollectionNames cache, string database)
    {
        if (cache.TryGetName(number, out var name))
            return name;
        Span<byte> key = stackalloc byte[5];
        NumberKey(key, number);
        if (!transaction.TryOpenTree(DatabaseTrees.Collections, out var tree) || !tree.TryGet(key, out var utf8))
        {
            throw new DatabaseCorruptException(database, $"collection number {number} has no name");
        }

        return Encoding.UTF8.GetString(utf8);
    }

    /// <summary>Finds a name in any case in the tree as the transaction sees it.</summary>
    internal static bool TryFind(Transaction transaction, string spelling, out int number)
    {
        number = 0;
        if (!transaction.TryOpenTree(DatabaseTrees.Collections, out var tree))
            return false;
        Span<byte> key = stackalloc byte[1 + DocumentKeys.MaxCollectionBytes * 3 / 2];
        if (!tree.TryGet(key[..NameKey(key, spelling)], out var value))
            return false;
        number = System.Buffers.Binary.BinaryPrimitives.ReadInt32LittleEndian(value);
        return true;
    }

    internal static int NameKey(Span<byte> key, string spelling)
    {
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxCollectionBytes];
        key[0] = (byte)'n';
        return 1 + DocumentKeys.LowerKey(utf8[..Encoding.UTF8.GetBytes(spelling, utf8)], key[1..]);
    }

    internal static void NumberKey(Span<byte> key, int number)
    {
        key[0] = (byte)'#';
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(key[1..], number);
    }
}
