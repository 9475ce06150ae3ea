using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Dates in texts. A text that is a complete ISO 8601 date, with or without a time, is indexed in UTC with seven digits
/// of the second (<c>2020-02-03t04:05:06.0000000</c>), in a field that is compared without case. Its terms therefore
/// sort by time, whatever form the text had.
/// </summary>
public static class DateTerm
{
    /// <summary>Bytes of a date's term.</summary>
    public const int Length = 27;

    private const int MaxTextLength = 40;

    /// <summary>Makes the term of a date.</summary>
    /// <param name="utf8">A text.</param>
    /// <param name="term">Room for the term, at least <see cref="Length"/> bytes.</param>
    /// <returns>
    /// Whether the text is a date: <c>2020-02-03</c>, or with <c>T</c> or a space <c>04:05</c>, <c>04:05:06</c> and any
    /// fraction, then nothing, <c>Z</c> or an offset; or <c>20200203T040506Z</c>. A time without offset is taken as
    /// UTC.
    /// </returns>
    public static bool TryWrite(ReadOnlySpan<byte> utf8, Span<byte> term)
    {
        if (
            utf8.Length is < 10 or > MaxTextLength
            || !Utf8Parser.TryParse(utf8[..4], out int _, out var digits)
            || digits != 4
        )
        {
            return false;
        }

        Span<char> text = stackalloc char[MaxTextLength];
        for (var i = 0; i < utf8.Length; i++)
        {
            if (utf8[i] >= 0x80)
                return false;
            text[i] = (char)utf8[i];
        }

        if (!TryParse(text[..utf8.Length], out var date))
            return false;
        var written = date.TryFormat(term, out _, "yyyy-MM-dd't'HH:mm:ss.fffffff", CultureInfo.InvariantCulture);
        return written;
    }

    /// <summary>Makes the term of a date; see <see cref="TryWrite"/>.</summary>
    /// <param name="text">A text.</param>
    /// <returns>The term; null if the text is not a date.</returns>
    public static byte[]? TryMake(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Length is < 10 or > MaxTextLength)
            return null;
        var term = new byte[Length];
        return TryWrite(Encoding.UTF8.GetBytes(text), term) ? term : null;
    }

    private static bool TryParse(ReadOnlySpan<char> text, out DateTime date)
    {
        date = default;
        var isBasic = text[4] != '-';
        var day = isBasic ? 8 : 10;
        if (isBasic ? text.Length < 9 || text[8] != 'T' : text[7] != '-')
            return false;
        if (
            !Number(text.Slice(isBasic ? 4 : 5, 2), out var month)
            || !Number(text.Slice(isBasic ? 6 : 8, 2), out var dayOfMonth)
            || !Number(text[..4], out var year)
        )
        {
            return false;
        }

        if (year is 0 || month is < 1 or > 12 || dayOfMonth < 1 || dayOfMonth > DateTime.DaysInMonth(year, month))
            return false;
        date = new DateTime(year, month, dayOfMonth);
        var rest = text[day..];
        if (rest.IsEmpty)
            return true;
        if (rest[0] is not ('T' or 't' or ' '))
            return false;
        return TryTime(rest[1..], isBasic, out var ticks, out var used)
            && TryOffset(rest[(1 + used)..], out var offset)
            && TryAdd(ref date, ticks - offset);
    }

    private static bool TryTime(ReadOnlySpan<char> text, bool isBasic, out long ticks, out int used)
    {
        ticks = 0;
        used = 0;
        var step = isBasic ? 2 : 3;
        if (
            text.Length < step + 2
            || !Number(text[..2], out var hour)
            || !Number(text.Slice(step, 2), out var minute)
            || hour > 23
            || minute > 59
        )
        {
            return false;
        }

        if (!isBasic && text[2] != ':')
            return false;
        used = step + 2;
        ticks = (hour * 60L + minute) * TimeSpan.TicksPerMinute;
        var hasSecond = text.Length >= used + step && (isBasic ? char.IsAsciiDigit(text[used]) : text[used] == ':');
        if (!hasSecond)
            return true;
        if (!Number(text.Slice(used + step - 2, 2), out var second) || second > 59)
            return false;
        used += step;
        ticks += second * TimeSpan.TicksPerSecond;
        if (used >= text.Length || text[used] is not ('.' or ','))
            return true;
        used++;
        var first = used;
        for (
            var unit = TimeSpan.TicksPerSecond / 10;
            used < text.Length && char.IsAsciiDigit(text[used]);
            used++, unit /= 10
        )
        {
            ticks += (text[used] - '0') * unit;
        }

        return used > first;
    }

    private static bool TryOffset(ReadOnlySpan<char> text, out long ticks)
    {
        ticks = 0;
        if (text.IsEmpty || text is "Z" or "z")
            return true;
        if (text[0] is not ('+' or '-') || text.Length is not (3 or 5 or 6) || (text.Length == 6 && text[3] != ':'))
            return false;
        var minute = 0;
        if (
            !Number(text.Slice(1, 2), out var hour)
            || (text.Length > 3 && !Number(text[^2..], out minute))
            || hour > 14
            || minute > 59
        )
        {
            return false;
        }

        ticks = (hour * 60L + minute) * TimeSpan.TicksPerMinute * (text[0] == '-' ? -1 : 1);
        return true;
    }

    private static bool TryAdd(ref DateTime date, long ticks)
    {
        if (ticks + date.Ticks < 0 || ticks + date.Ticks > DateTime.MaxValue.Ticks)
            return false;
        date = date.AddTicks(ticks);
        return true;
    }

    private static bool Number(ReadOnlySpan<char> digits, out int value) =>
        int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out value);
}
