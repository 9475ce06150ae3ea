using System.Buffers.Binary;
using System.Text;
using Pipeline.Indexing.Analysis;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>The stored form of a field and its state.</summary>
internal static class FieldRecord
{
    private const int KeySize = 2;
    private const int HeaderSize = 28;
    private const byte Positions = 1;

    /// <summary>Puts a field into a log.</summary>
    public static void Write(PutLog log, IndexField field, in FieldState state)
    {
        Span<byte> key = stackalloc byte[KeySize];
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)field.Number);
        var analyzer = field.Options.Analyzer?.Name ?? "";
        var nameLength = Encoding.UTF8.GetByteCount(field.Name);
        var value = log.Reserve(key, HeaderSize + nameLength + Encoding.UTF8.GetByteCount(analyzer));
        value[0] = (byte)field.Options.Indexing;
        value[1] = field.Options.Positions ? Positions : (byte)0;
        value[2] = state.Kinds;
        value[3] = state.Multiple;
        BinaryPrimitives.WriteInt32LittleEndian(value[4..], state.NextTermId);
        BinaryPrimitives.WriteInt64LittleEndian(value[8..], state.Entries);
        BinaryPrimitives.WriteInt64LittleEndian(value[16..], state.Tokens);
        BinaryPrimitives.WriteInt32LittleEndian(value[24..], nameLength);
        Encoding.UTF8.GetBytes(field.Name, value[HeaderSize..]);
        Encoding.UTF8.GetBytes(analyzer, value[(HeaderSize + nameLength)..]);
    }

    /// <summary>Reads all fields of a snapshot, in the order of their numbers.</summary>
    public static List<(IndexField Field, FieldState State)> ReadAll(Transaction transaction)
    {
        var fields = new List<(IndexField, FieldState)>();
        if (!transaction.TryOpenTree(IndexTrees.Fields, out var tree))
            return fields;
        using var cursor = tree.OpenCursor();
        for (var found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            var value = cursor.Value;
            if (cursor.Key.Length != KeySize || value.Length <= HeaderSize || value[0] > (byte)TermForm.No)
                throw IndexTrees.Corrupt(IndexTrees.Fields, cursor.Key, "the record of a field is not whole");
            var number = BinaryPrimitives.ReadUInt16BigEndian(cursor.Key);
            var nameLength = BinaryPrimitives.ReadInt32LittleEndian(value[24..]);
            if (nameLength <= 0 || nameLength > value.Length - HeaderSize)
                throw IndexTrees.Corrupt(IndexTrees.Fields, cursor.Key, "the name of a field is not whole");
            var name = Encoding.UTF8.GetString(value.Slice(HeaderSize, nameLength));
            var analyzer = Encoding.UTF8.GetString(value[(HeaderSize + nameLength)..]);
            var options = new FieldOptions
            {
                Indexing = (TermForm)value[0],
                Positions = (value[1] & Positions) != 0,
                Analyzer = analyzer.Length == 0 ? null : Analyzers.Get(analyzer),
            };
            fields.Add((new IndexField(number, name, options), ReadState(value)));
        }

        return fields;
    }

    /// <summary>
    /// Reads the state of a field in a snapshot; the state of a field without values if it is not stored.
    /// </summary>
    public static FieldState Read(Tree? tree, int field)
    {
        Span<byte> key = stackalloc byte[KeySize];
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)field);
        if (tree is null || !tree.TryGet(key, out var value))
            return default;
        if (value.Length <= HeaderSize)
            throw IndexTrees.Corrupt(IndexTrees.Fields, key, "the record of a field is not whole");
        return ReadState(value);
    }

    private static FieldState ReadState(ReadOnlySpan<byte> value) =>
        new()
        {
            Kinds = value[2],
            Multiple = value[3],
            NextTermId = BinaryPrimitives.ReadInt32LittleEndian(value[4..]),
            Entries = BinaryPrimitives.ReadInt64LittleEndian(value[8..]),
            Tokens = BinaryPrimitives.ReadInt64LittleEndian(value[16..]),
        };
}
