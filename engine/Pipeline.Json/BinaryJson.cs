using System.Buffers;

namespace Pipeline.Json;

/// <summary>
/// A JSON value in binary form: any part of it is reached without reading the rest and without allocating.
/// </summary>
/// <remarks>
/// Every value is kept exactly: integers, the text of other numbers (<c>14.0</c> stays <c>14.0</c>), strings to the
/// last code point, the order of properties. Immutable and thread-safe as long as the underlying memory does not
/// change. Reading corrupt bytes throws <see cref="BinaryJsonCorruptException"/> and never reads outside of them.
/// </remarks>
public readonly struct BinaryJson
{
    /// <summary>Wraps bytes that <see cref="BinaryJsonParser"/> made. Reads check them.</summary>
    /// <param name="data">The document's bytes, no more and no fewer.</param>
    public BinaryJson(ReadOnlyMemory<byte> data) => Data = data;

    /// <summary>The bytes; empty for the default value, which is no document.</summary>
    public ReadOnlyMemory<byte> Data { get; }

    /// <summary>Whether there is no document here.</summary>
    public bool IsEmpty => Data.IsEmpty;

    /// <summary>The outermost value; <see cref="JsonKind.None"/> where <see cref="IsEmpty"/>.</summary>
    /// <exception cref="BinaryJsonCorruptException">The bytes are not a document.</exception>
    public BinaryValue Root => Data.IsEmpty ? default : new BinaryValue(Data, BinaryLayout.RootOffset(Data.Span));

    /// <summary>Parses UTF-8 text; see <see cref="BinaryJsonParser.Parse(ReadOnlySpan{byte}, JsonLimits?)"/>.</summary>
    /// <param name="utf8">The text.</param>
    /// <returns>The document, which does not refer to the text.</returns>
    /// <exception cref="JsonFormatException">The text is not JSON or over a limit.</exception>
    public static BinaryJson Parse(ReadOnlySpan<byte> utf8) => BinaryJsonParser.Parse(utf8);

    /// <summary>Writes the value as JSON text without white space.</summary>
    /// <param name="target">Where to.</param>
    public void WriteTo(IBufferWriter<byte> target) => Root.WriteTo(target);

    /// <summary>The JSON text.</summary>
    /// <returns>Text without white space; empty where <see cref="IsEmpty"/>.</returns>
    public override string ToString() => Root.ToString();
}
