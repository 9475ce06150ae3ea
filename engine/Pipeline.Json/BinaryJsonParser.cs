using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace Pipeline.Json;

/// <summary>Turns UTF-8 JSON text (RFC 8259) into <see cref="BinaryJson"/> in one pass.</summary>
/// <remarks>
/// Strict: no comments, no trailing commas, no byte order mark, no repeated property names, UTF-8 and surrogate pairs
/// checked. The static members may be used from any thread; they keep one set of buffers a thread.
/// </remarks>
public sealed partial class BinaryJsonParser
{
    private const int RetainedBytes = 4 * 1024 * 1024;

    [ThreadStatic]
    private static BinaryJsonParser? t_instance;

    private readonly ArrayBufferWriter<byte> _unescaped = new();
    private byte[] _output = new byte[4096];
    private int _length;
    private int _width;
    private int[] _pendingId = new int[64];
    private int[] _pendingOffset = new int[64];
    private int[] _pendingSource = new int[64];
    private int _pending;
    private Frame[] _frames = new Frame[16];
    private int _depth;

    private struct Frame
    {
        internal int FirstPending;
        internal int OutputStart;
        internal bool IsObject;
        internal bool IsMetadata;
    }

    internal BinaryJsonParser() { }

    /// <summary>Parses one JSON value.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="limits">Depth and size; <see cref="JsonLimits.Default"/> if null.</param>
    /// <returns>The value, which does not refer to the text.</returns>
    /// <exception cref="JsonFormatException">The text is not JSON or over a limit; says where.</exception>
    public static BinaryJson Parse(ReadOnlySpan<byte> utf8, JsonLimits? limits = null)
    {
        var parser = ForThread();
        parser.ParseText(utf8, limits ?? JsonLimits.Default, asDocument: false);
        var document = new BinaryJson(parser._output.AsSpan(0, parser._length).ToArray());
        parser.Trim();
        return document;
    }

    internal static BinaryJsonParser ForThread() => t_instance ??= new BinaryJsonParser();

    /// <summary>The bytes that the last parse made, good until the next.</summary>
    internal ReadOnlySpan<byte> Output => _output.AsSpan(0, _length);

    /// <summary>Lets go of buffers that one great text has made great.</summary>
    internal void Trim()
    {
        if (_output.Length > RetainedBytes)
            _output = new byte[4096];
        if (_pendingId.Length > RetainedBytes / 16)
        {
            _pendingId = new int[64];
            _pendingOffset = new int[64];
            _pendingSource = new int[64];
        }

        TrimNames();
    }

    /// <summary>
    /// Parses into <see cref="Output"/>; as a document, system metadata is taken out of it (see the Documents part).
    /// </summary>
    internal void ParseText(ReadOnlySpan<byte> s, JsonLimits limits, bool asDocument)
    {
        if (s.Length > limits.EffectiveBytes)
        {
            throw JsonFormatException.At(
                JsonErrorKind.TooLarge,
                s[..0],
                0,
                $"the text has {s.Length:N0} bytes, more than the {limits.EffectiveBytes:N0} allowed"
            );
        }

        if (!Utf8.IsValid(s))
            ThrowInvalidUtf8(s);
        _width = s.Length <= BinaryLayout.NarrowTextLimit ? 2 : 4;
        _pending = 0;
        _depth = 0;
        ResetNames();
        ResetMetadata(asDocument);
        _length = 0;
        Reserve((int)Math.Clamp(s.Length * 2L, 64, 1 << 20));
        _output[0] = (byte)(BinaryLayout.Version | (_width == 4 ? BinaryLayout.WideFlag : 0));
        _length = 1;
        var root = ParseRoot(s, limits.EffectiveDepth);
        WriteNamesAndFooter(root);
    }

    private int ParseRoot(ReadOnlySpan<byte> s, int maxDepth)
    {
        var pos = SkipSpace(s, 0);
        int offset;
        value:
        if ((uint)pos >= (uint)s.Length)
            ThrowEnd(s, "a value");
        switch (s[pos])
        {
            case (byte)'"':
                offset = _length;
                pos = ParseString(s, pos + 1);
                break;
            case (byte)'{':
                Push(s, pos, isObject: true, maxDepth);
                pos = SkipSpace(s, pos + 1);
                if ((uint)pos < (uint)s.Length && s[pos] == (byte)'}')
                {
                    pos++;
                    offset = CloseObject(s);
                    break;
                }

                goto name;
            case (byte)'[':
                Push(s, pos, isObject: false, maxDepth);
                pos = SkipSpace(s, pos + 1);
                if ((uint)pos < (uint)s.Length && s[pos] == (byte)']')
                {
                    pos++;
                    offset = CloseArray();
                    break;
                }

                goto value;
            case (byte)'t':
                offset = Literal(s, ref pos, "true"u8, BinaryLayout.True);
                break;
            case (byte)'f':
                offset = Literal(s, ref pos, "false"u8, BinaryLayout.False);
                break;
            case (byte)'n':
                offset = Literal(s, ref pos, "null"u8, BinaryLayout.Null);
                break;
            default:
                offset = _length;
                pos = ParseNumber(s, pos);
                break;
        }

        after:
        pos = SkipSpace(s, pos);
        if (_depth == 0)
        {
            if (pos < s.Length)
                ThrowUnexpected(s, pos, JsonErrorKind.TrailingData, "nothing more after the value");
            if (_asDocument)
                CheckRoot(s, offset);
            return offset;
        }

        if (_frames[_depth - 1].IsObject)
        {
            EndProperty(s, offset);
            if ((uint)pos >= (uint)s.Length)
                ThrowEnd(s, "',' or '}'");
            var c = s[pos++];
            if (c == (byte)',')
            {
                pos = SkipSpace(s, pos);
                goto name;
            }

            if (c != (byte)'}')
                ThrowUnexpected(s, pos - 1, JsonErrorKind.UnexpectedByte, "',' or '}'");
            offset = CloseObject(s);
            goto after;
        }

        AddElement(offset);
        if ((uint)pos >= (uint)s.Length)
            ThrowEnd(s, "',' or ']'");
        var d = s[pos++];
        if (d == (byte)',')
        {
            pos = SkipSpace(s, pos);
            goto value;
        }

        if (d != (byte)']')
            ThrowUnexpected(s, pos - 1, JsonErrorKind.UnexpectedByte, "',' or ']'");
        offset = CloseArray();
        goto after;

        name:
        if ((uint)pos >= (uint)s.Length)
            ThrowEnd(s, "a property name");
        if (s[pos] != (byte)'"')
            ThrowUnexpected(s, pos, JsonErrorKind.UnexpectedByte, "a property name in quotes");
        pos = SkipSpace(s, ParseName(s, pos + 1));
        if ((uint)pos >= (uint)s.Length)
            ThrowEnd(s, "':'");
        if (s[pos] != (byte)':')
            ThrowUnexpected(s, pos, JsonErrorKind.UnexpectedByte, "':'");
        pos = SkipSpace(s, pos + 1);
        goto value;
    }

    private static int SkipSpace(ReadOnlySpan<byte> s, int pos)
    {
        while ((uint)pos < (uint)s.Length && s[pos] <= 0x20)
        {
            if (s[pos] is not ((byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t'))
                break;
            pos++;
        }

        return pos;
    }

    private int Literal(ReadOnlySpan<byte> s, ref int pos, ReadOnlySpan<byte> word, byte tag)
    {
        var rest = s[pos..];
        if (!rest.StartsWith(word))
        {
            var same = rest.CommonPrefixLength(word);
            if (same == rest.Length)
                ThrowEnd(s, $"'{Encoding.ASCII.GetString(word)}'");
            ThrowUnexpected(s, pos + same, JsonErrorKind.UnexpectedByte, $"'{Encoding.ASCII.GetString(word)}'");
        }

        pos += word.Length;
        var offset = _length;
        Reserve(1);
        _output[_length++] = tag;
        return offset;
    }

    private void Reserve(int more)
    {
        if (_output.Length - _length < more)
            Grow(more);
    }

    private void Grow(int more)
    {
        var grown = new byte[Math.Max(checked(_length + more), (int)Math.Min(Array.MaxLength, _output.Length * 2L))];
        _output.AsSpan(0, _length).CopyTo(grown);
        _output = grown;
    }

    [DoesNotReturn]
    private static void ThrowInvalidUtf8(ReadOnlySpan<byte> s)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(s[at..], out _, out var consumed) == OperationStatus.Done)
            at += consumed;
        throw JsonFormatException.At(
            JsonErrorKind.InvalidUtf8,
            s,
            at,
            $"byte 0x{s[at]:X2} does not belong here in UTF-8"
        );
    }

    [DoesNotReturn]
    private static void ThrowEnd(ReadOnlySpan<byte> s, string expected) =>
        throw JsonFormatException.At(
            JsonErrorKind.UnexpectedEnd,
            s,
            s.Length,
            $"the text ends where {expected} is expected"
        );

    [DoesNotReturn]
    private static void ThrowUnexpected(ReadOnlySpan<byte> s, int at, JsonErrorKind kind, string expected) =>
        throw JsonFormatException.At(kind, s, at, $"{Describe(s, at)} where {expected} is expected");

    private static string Describe(ReadOnlySpan<byte> s, int at)
    {
        Rune.DecodeFromUtf8(s[at..], out var rune, out _);
        return rune.Value == 0xFEFF ? "a byte order mark"
            : Rune.IsControl(rune) ? $"control character 0x{rune.Value:X2}"
            : $"'{rune}'";
    }
}
