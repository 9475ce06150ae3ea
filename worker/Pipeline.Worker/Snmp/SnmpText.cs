using System.Globalization;
using System.Text;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Snmp;

/// <summary>Writes values as lines of the protocol.</summary>
internal static class SnmpText
{
    /// <summary>Most octets of a text. Longer ones are cut, so that an answer fits into one UDP packet.</summary>
    public const int MaxOctets = 255;

    private static readonly Rune _cut = new('…');

    /// <summary>A text on one line, without control characters and cut to <see cref="MaxOctets"/>.</summary>
    public static string OfText(string text)
    {
        var line = Printable.Of(text.ReplaceLineEndings(" ").Replace('\t', ' '));
        if (Encoding.UTF8.GetByteCount(line) <= MaxOctets)
            return line;
        var kept = new StringBuilder(MaxOctets);
        var octets = _cut.Utf8SequenceLength;
        foreach (var rune in line.EnumerateRunes())
        {
            octets += rune.Utf8SequenceLength;
            if (octets > MaxOctets)
                break;
            kept.Append(rune);
        }

        return kept.Append(_cut).ToString();
    }

    /// <summary>A rounded number between 0 and the maximum of 32 bits.</summary>
    public static string OfGauge(double value) =>
        ((uint)Math.Clamp(Math.Round(value), 0, uint.MaxValue)).ToString(CultureInfo.InvariantCulture);

    /// <summary>A total, at least 0.</summary>
    public static string OfCounter(long value) => Math.Max(0, value).ToString(CultureInfo.InvariantCulture);

    /// <summary>Hundredths of a second; they start again at 0 after 497 days, as SNMP wants it.</summary>
    public static string OfTicks(TimeSpan value) =>
        unchecked((uint)Math.Max(0, value.Ticks / (TimeSpan.TicksPerSecond / 100))).ToString(
            CultureInfo.InvariantCulture
        );
}
