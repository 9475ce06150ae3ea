using System.Text;

namespace Pipeline.Json;

public readonly partial struct BinaryValue
{
    /// <summary>The value of <c>true</c> and <c>false</c>.</summary>
    /// <exception cref="InvalidOperationException">This is not a boolean.</exception>
    public bool GetBoolean()
    {
        if (_offset != 0)
        {
            var tag = BinaryLayout.Tag(_data.Span, _offset);
            if (tag is BinaryLayout.True or BinaryLayout.False)
                return tag == BinaryLayout.True;
        }

        throw WrongKind("boolean");
    }

    /// <summary>The string's UTF-8 bytes, unescaped, within the document.</summary>
    /// <param name="utf8">The bytes, good as long as the document's memory is.</param>
    /// <returns><see langword="false"/> if this is not a string.</returns>
    public bool TryGetUtf8(out ReadOnlySpan<byte> utf8)
    {
        utf8 = default;
        if (_offset == 0)
            return false;
        var data = _data.Span;
        var tag = BinaryLayout.Tag(data, _offset);
        if (tag >= BinaryLayout.FirstShortString)
        {
            utf8 = BinaryLayout.Slice(data, _offset + 1, tag - BinaryLayout.FirstShortString);
            return true;
        }

        if (tag != BinaryLayout.LongString)
            return false;
        var at = _offset + 1;
        var length = BinaryLayout.ReadVarint(data, ref at);
        utf8 = BinaryLayout.Slice(data, at, length);
        return true;
    }

    /// <summary>The string as .NET text.</summary>
    /// <param name="text">A new string.</param>
    /// <returns><see langword="false"/> if this is not a string.</returns>
    public bool TryGetString([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out string? text)
    {
        text = TryGetUtf8(out var utf8) ? Encoding.UTF8.GetString(utf8) : null;
        return text is not null;
    }

    /// <summary>The string as .NET text; <see langword="null"/> for <c>null</c> and for no value.</summary>
    /// <returns>A new string.</returns>
    /// <exception cref="InvalidOperationException">This is something else.</exception>
    public string? GetString() =>
        IsNullOrMissing ? null
        : TryGetString(out var text) ? text
        : throw WrongKind("string");

    /// <summary>Compares a string without making one.</summary>
    /// <param name="utf8">The text to compare with, as UTF-8.</param>
    /// <returns>Whether this is a string of just these bytes.</returns>
    public bool StringEquals(ReadOnlySpan<byte> utf8) => TryGetUtf8(out var own) && own.SequenceEqual(utf8);

    internal InvalidOperationException WrongKind(string wanted) =>
        new($"The JSON value is of kind {Kind}, not {wanted}.");
}
