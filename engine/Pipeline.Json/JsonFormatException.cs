using System.Globalization;

namespace Pipeline.Json;

/// <summary>A text is not JSON, or is more than the limits allow.</summary>
public sealed class JsonFormatException : FormatException
{
    /// <summary>Makes the error.</summary>
    /// <param name="kind">Why the text was refused.</param>
    /// <param name="line">The line, from 1.</param>
    /// <param name="byteInLine">The byte within the line, from 1.</param>
    /// <param name="offset">The byte within the whole text, from 0.</param>
    /// <param name="reason">The problem, as a clause.</param>
    public JsonFormatException(JsonErrorKind kind, long line, long byteInLine, long offset, string reason)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"Invalid JSON at line {line}, byte {byteInLine} (offset {offset}): {reason}."
            )
        )
    {
        Kind = kind;
        Line = line;
        ByteInLine = byteInLine;
        Offset = offset;
        Reason = reason;
    }

    /// <summary>Why the text was refused.</summary>
    public JsonErrorKind Kind { get; }

    /// <summary>The line, from 1.</summary>
    public long Line { get; }

    /// <summary>The byte within the line, from 1.</summary>
    public long ByteInLine { get; }

    /// <summary>The byte within the whole text, from 0.</summary>
    public long Offset { get; }

    /// <summary>The problem, as a clause.</summary>
    public string Reason { get; }

    internal static JsonFormatException At(JsonErrorKind kind, ReadOnlySpan<byte> text, int offset, string reason)
    {
        var before = text[..Math.Clamp(offset, 0, text.Length)];
        var line = before.Count((byte)'\n') + 1;
        var lineStart = before.LastIndexOf((byte)'\n') + 1;
        return new JsonFormatException(kind, line, before.Length - lineStart + 1, before.Length, reason);
    }
}
