using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Pipeline.Json;

public readonly partial struct BinaryValue
{
    private static readonly double[] PowersOfTen =
    [
        1e0,
        1e1,
        1e2,
        1e3,
        1e4,
        1e5,
        1e6,
        1e7,
        1e8,
        1e9,
        1e10,
        1e11,
        1e12,
        1e13,
        1e14,
        1e15,
        1e16,
        1e17,
        1e18,
        1e19,
        1e20,
        1e21,
        1e22,
    ];

    /// <summary>Whether this is a number written without point and exponent that fits 64 signed bits.</summary>
    public bool IsInteger => TryReadNumber(out _, out var scale, out var text) && scale == 0 && text.IsEmpty;

    /// <summary>The number as a 64-bit integer.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>
    /// <see langword="false"/> if this is not a number, has a fraction other than 0 (<c>14.0</c> is 14), or is out of
    /// range.
    /// </returns>
    public bool TryGetInt64(out long value)
    {
        value = 0;
        if (!TryReadNumber(out var mantissa, out var scale, out var text))
            return false;
        if (text.IsEmpty && scale == 0)
        {
            value = mantissa;
            return true;
        }

        if (!TryGetDecimal(out var number) || number != decimal.Truncate(number))
            return false;
        if (number is < long.MinValue or > long.MaxValue)
            return false;
        // A decimal rounds to 28 digits, so it may be integral where the text is not: text that long, or a fraction
        // rounded to 0.
        if (text.Length > 28 || (number == 0 && text.ContainsAnyInRange((byte)'1', (byte)'9') && text[0] != (byte)'0'))
            return false;
        value = (long)number;
        return true;
    }

    /// <summary>The number as a decimal, with its digits after the point (14.00 keeps both).</summary>
    /// <param name="value">The number; digits beyond the 28 that a decimal holds are rounded.</param>
    /// <returns><see langword="false"/> if this is not a number or is out of a decimal's range.</returns>
    public bool TryGetDecimal(out decimal value)
    {
        value = 0;
        if (!TryReadNumber(out var mantissa, out var scale, out var text))
            return false;
        if (!text.IsEmpty)
        {
            return decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value);
        }

        var magnitude = mantissa < 0 ? (ulong)-mantissa : (ulong)mantissa;
        value = new decimal((int)(uint)magnitude, (int)(uint)(magnitude >> 32), 0, mantissa < 0, (byte)scale);
        return true;
    }

    /// <summary>The number as the nearest double.</summary>
    /// <param name="value">The number; infinite where its magnitude is beyond a double's.</param>
    /// <returns><see langword="false"/> if this is not a number.</returns>
    public bool TryGetDouble(out double value)
    {
        value = 0;
        if (!TryReadNumber(out var mantissa, out var scale, out var text))
            return false;
        if (text.IsEmpty)
        {
            if (scale == 0)
            {
                value = mantissa;
                return true;
            }

            // Both operands are exact, so the quotient is rounded once: the nearest double (Clinger's fast path).
            if (mantissa is >= -(1L << 53) and <= 1L << 53)
            {
                value = mantissa / PowersOfTen[scale];
                return true;
            }

            Span<byte> digits = stackalloc byte[32];
            return double.TryParse(
                digits[..FormatScaled(mantissa, scale, digits)],
                NumberStyles.Float,
                CultureInfo.InvariantCulture,
                out value
            );
        }

        return double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value);
    }

    /// <inheritdoc cref="TryGetInt64"/>
    /// <exception cref="InvalidOperationException">This is not a number.</exception>
    /// <exception cref="OverflowException">The number is no 64-bit integer.</exception>
    public long GetInt64() => TryGetInt64(out var value) ? value : throw NumberError("a 64-bit integer");

    /// <inheritdoc cref="TryGetDecimal"/>
    /// <exception cref="InvalidOperationException">This is not a number.</exception>
    /// <exception cref="OverflowException">The number is out of range.</exception>
    public decimal GetDecimal() => TryGetDecimal(out var value) ? value : throw NumberError("a decimal");

    /// <inheritdoc cref="TryGetDouble"/>
    /// <exception cref="InvalidOperationException">This is not a number.</exception>
    public double GetDouble() => TryGetDouble(out var value) ? value : throw NumberError("a double");

    /// <summary>The number's original text.</summary>
    /// <returns>A new string.</returns>
    /// <exception cref="InvalidOperationException">This is not a number.</exception>
    public string GetNumberText()
    {
        if (!TryReadNumber(out var mantissa, out var scale, out var text))
            throw WrongKind("number");
        if (!text.IsEmpty)
            return Encoding.ASCII.GetString(text);
        Span<byte> digits = stackalloc byte[32];
        return Encoding.ASCII.GetString(digits[..FormatScaled(mantissa, scale, digits)]);
    }

    /// <summary>
    /// Reads a number as a mantissa and a count of digits after the point, or as its text if those cannot hold it.
    /// </summary>
    internal bool TryReadNumber(out long mantissa, out int scale, out ReadOnlySpan<byte> text)
    {
        mantissa = 0;
        scale = 0;
        text = default;
        if (_offset == 0)
            return false;
        var data = _data.Span;
        var at = _offset + 1;
        var tag = BinaryLayout.Tag(data, _offset);
        switch (tag)
        {
            case BinaryLayout.Int8:
                mantissa = (sbyte)BinaryLayout.Tag(data, at);
                return true;
            case BinaryLayout.Int16:
                mantissa = BinaryPrimitives.ReadInt16LittleEndian(BinaryLayout.Slice(data, at, 2));
                return true;
            case BinaryLayout.Int32:
                mantissa = BinaryPrimitives.ReadInt32LittleEndian(BinaryLayout.Slice(data, at, 4));
                return true;
            case BinaryLayout.Int64:
                mantissa = BinaryPrimitives.ReadInt64LittleEndian(BinaryLayout.Slice(data, at, 8));
                return true;
            case BinaryLayout.Decimal32:
                scale = Scale(data, at);
                mantissa = BinaryPrimitives.ReadInt32LittleEndian(BinaryLayout.Slice(data, at + 1, 4));
                return true;
            case BinaryLayout.Decimal64:
                scale = Scale(data, at);
                mantissa = BinaryPrimitives.ReadInt64LittleEndian(BinaryLayout.Slice(data, at + 1, 8));
                return true;
            case BinaryLayout.NumberText:
                var length = BinaryLayout.ReadVarint(data, ref at);
                if (length == 0)
                    BinaryLayout.Corrupt(at, "a number without digits");
                text = BinaryLayout.Slice(data, at, length);
                return true;
            case >= BinaryLayout.FirstTinyInt and < BinaryLayout.FirstShortString:
                mantissa = tag - BinaryLayout.TinyIntBias;
                return true;
            default:
                return false;
        }
    }

    internal static int FormatScaled(long mantissa, int scale, Span<byte> target)
    {
        if (scale == 0)
        {
            Utf8Formatter.TryFormat(mantissa, target, out var all);
            return all;
        }

        var n = 0;
        if (mantissa < 0)
            target[n++] = (byte)'-';
        var magnitude = mantissa < 0 ? (ulong)-mantissa : (ulong)mantissa;
        Span<byte> digits = stackalloc byte[20];
        Utf8Formatter.TryFormat(magnitude, digits, out var count);
        var whole = count - scale;
        if (whole <= 0)
        {
            target[n++] = (byte)'0';
            target[n++] = (byte)'.';
            target.Slice(n, -whole).Fill((byte)'0');
            n -= whole;
            digits[..count].CopyTo(target[n..]);
            return n + count;
        }

        digits[..whole].CopyTo(target[n..]);
        n += whole;
        target[n++] = (byte)'.';
        digits[whole..count].CopyTo(target[n..]);
        return n + scale;
    }

    private static int Scale(ReadOnlySpan<byte> data, int at)
    {
        int scale = BinaryLayout.Tag(data, at);
        if (scale is 0 or > 18)
            BinaryLayout.Corrupt(at, "a number with an impossible scale");
        return scale;
    }

    private Exception NumberError(string wanted) =>
        Kind == JsonKind.Number
            ? new OverflowException($"The JSON number {GetNumberText()} is not {wanted}.")
            : WrongKind("number");
}
