using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;

namespace Pipeline.Documents;

/// <summary>How ids, collections and positions become keys.</summary>
internal static class DocumentKeys
{
    internal const int MaxIdBytes = 512;
    internal const int MaxCollectionBytes = 256;

    /// <summary>Lower case may take more bytes: three for two, at worst.</summary>
    internal const int MaxKeyBytes = MaxIdBytes * 3 / 2;

    internal const int PositionBytes = 8;

    internal static void WritePosition(Span<byte> key, long position) =>
        BinaryPrimitives.WriteInt64BigEndian(key, position);

    internal static long ReadPosition(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key);

    /// <summary>Checks an id and returns its UTF-8 bytes.</summary>
    internal static int EncodeId(string id, Span<byte> utf8)
    {
        if (id.Length == 0)
            throw new InvalidDocumentIdException(id, "it is empty");
        if (
            Utf8.FromUtf16(id, utf8[..MaxIdBytes], out _, out var written, replaceInvalidSequences: false) is var status
            && status != System.Buffers.OperationStatus.Done
        )
        {
            throw new InvalidDocumentIdException(
                id,
                status == System.Buffers.OperationStatus.DestinationTooSmall
                    ? $"it has more than {MaxIdBytes} bytes of UTF-8"
                    : "it holds half of a surrogate pair"
            );
        }

        if (HasControl(utf8[..written]))
            throw new InvalidDocumentIdException(id, "it holds a control character");
        if (id[^1] is '/' or '|')
        {
            throw new InvalidDocumentIdException(
                id,
                "one that ends in '/' or '|' asks for a new id, so it names no document"
            );
        }

        return written;
    }

    internal static void CheckId(string id)
    {
        ArgumentNullException.ThrowIfNull(id);
        Span<byte> utf8 = stackalloc byte[MaxIdBytes];
        EncodeId(id, utf8);
    }

    /// <summary>Checks an id that may also be a request to generate one.</summary>
    internal static void CheckRequestedId(string id)
    {
        Span<byte> utf8 = stackalloc byte[MaxIdBytes];
        EncodeId(id.Length > 1 && (id[^1] is '/' or '|') ? id[..^1] + "-" : id, utf8);
    }

    internal static void CheckCollection(string name)
    {
        if (name.Length == 0)
            throw new InvalidCollectionException(name, "it is empty");
        if (name.Length > MaxCollectionBytes || Encoding.UTF8.GetByteCount(name) > MaxCollectionBytes)
        {
            throw new InvalidCollectionException(name, $"it has more than {MaxCollectionBytes} bytes of UTF-8");
        }

        foreach (var c in name)
        {
            if (char.IsControl(c))
                throw new InvalidCollectionException(name, "it holds a control character");
        }
    }

    /// <summary>The key under which an id, or the start of one, is found whatever its case.</summary>
    internal static int LowerKey(ReadOnlySpan<byte> utf8, Span<byte> key)
    {
        if (Ascii.ToLower(utf8, key, out var written) == System.Buffers.OperationStatus.Done)
            return written;
        written = 0;
        foreach (var rune in new Utf8Runes(utf8))
            written += Rune.ToLowerInvariant(rune).EncodeToUtf8(key[written..]);
        return written;
    }

    internal static string Printable(string text)
    {
        var shown = text.Length <= 100 ? text : string.Concat(text.AsSpan(0, 97), "...");
        return string.Concat(shown.Select(c => char.IsControl(c) || char.IsSurrogate(c) ? '\uFFFD' : c));
    }

    private static bool HasControl(ReadOnlySpan<byte> utf8)
    {
        if (utf8.ContainsAnyInRange((byte)0, (byte)0x1F) || utf8.Contains((byte)0x7F))
            return true;
        var c2 = utf8.IndexOf((byte)0xC2);
        while (c2 >= 0)
        {
            if (utf8[c2 + 1] < 0xA0)
                return true;
            var next = utf8[(c2 + 1)..].IndexOf((byte)0xC2);
            c2 = next < 0 ? -1 : c2 + 1 + next;
        }

        return false;
    }

    private ref struct Utf8Runes(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        public Rune Current { get; private set; }

        public readonly Utf8Runes GetEnumerator() => this;

        public bool MoveNext()
        {
            if (_rest.IsEmpty)
                return false;
            Rune.DecodeFromUtf8(_rest, out var rune, out var consumed);
            Current = rune;
            _rest = _rest[consumed..];
            return true;
        }
    }

    /// <summary>The key of an id, or of the beginning of one, in lower case.</summary>
    internal static byte[] LowerPrefix(string prefix)
    {
        var utf8 = Encoding.UTF8.GetBytes(prefix);
        var key = new byte[utf8.Length * 3 / 2 + 3];
        return key[..LowerKey(utf8, key)];
    }
}
