using System.Buffers;
using System.Globalization;
using Pipeline.Yaml.Settings;

namespace Pipeline.Yaml;

/// <summary>Durations and byte sizes as people write them.</summary>
public static class Quantities
{
    private static readonly SearchValues<char> NumberCharacters = SearchValues.Create("0123456789.");

    private static readonly (string Unit, long Bytes)[] ByteUnits =
    [
        ("GiB", 1L << 30),
        ("MiB", 1L << 20),
        ("KiB", 1L << 10),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("KB", 1_000),
        ("B", 1),
    ];

    private static readonly (string Unit, long Ticks)[] TimeUnits =
    [
        ("ms", TimeSpan.TicksPerMillisecond),
        ("s", TimeSpan.TicksPerSecond),
        ("m", TimeSpan.TicksPerMinute),
        ("h", TimeSpan.TicksPerHour),
        ("d", TimeSpan.TicksPerDay),
    ];

    /// <summary>Reads a number with one of ms, s, m, h, d; several may follow each other: 1h30m.</summary>
    public static bool TryParseDuration(string text, out TimeSpan value)
    {
        value = default;
        if (text.Length == 0)
            return false;
        ReadOnlySpan<char> rest = text;
        double ticks = 0;
        while (!rest.IsEmpty)
        {
            var digits = rest.IndexOfAnyExcept(NumberCharacters);
            if (
                digits <= 0
                || !double.TryParse(
                    rest[..digits],
                    NumberStyles.AllowDecimalPoint,
                    CultureInfo.InvariantCulture,
                    out var number
                )
            )
            {
                return false;
            }

            rest = rest[digits..];
            var letters = rest.IndexOfAny(NumberCharacters);
            var unit = (letters < 0 ? rest : rest[..letters]).ToString();
            var unitTicks = TimeUnits.FirstOrDefault(u => u.Unit == unit).Ticks;
            if (unitTicks == 0)
                return false;
            ticks += number * unitTicks;
            rest = letters < 0 ? [] : rest[letters..];
        }

        if (ticks > TimeSpan.MaxValue.Ticks / 2)
            return false;
        value = new TimeSpan((long)ticks);
        return true;
    }

    /// <summary>Reads a number of bytes with or without B, KiB, MiB, GiB, KB, MB, GB.</summary>
    public static bool TryParseBytes(string text, out long value)
    {
        long unit = 1;
        ReadOnlySpan<char> number = text;
        foreach ((var name, var bytes) in ByteUnits)
        {
            if (!text.EndsWith(name, StringComparison.OrdinalIgnoreCase))
                continue;
            unit = bytes;
            number = text.AsSpan(0, text.Length - name.Length).TrimEnd();
            break;
        }

        value = 0;
        if (!decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var parsed))
            return false;
        var product = parsed * unit;
        if (product != decimal.Truncate(product) || product > long.MaxValue)
            return false;
        value = (long)product;
        return true;
    }

    /// <summary>Writes a duration as <see cref="TryParseDuration"/> reads it.</summary>
    public static string FormatDuration(TimeSpan value)
    {
        if (value == TimeSpan.Zero)
            return "0s";
        foreach ((var unit, var ticks) in TimeUnits.Reverse())
        {
            if (value.Ticks != 0 && value.Ticks % ticks == 0)
                return string.Create(CultureInfo.InvariantCulture, $"{value.Ticks / ticks}{unit}");
        }

        return string.Create(CultureInfo.InvariantCulture, $"{value.TotalMilliseconds}ms");
    }

    /// <summary>Writes a size as <see cref="TryParseBytes"/> reads it.</summary>
    public static string FormatBytes(long value)
    {
        foreach ((var unit, var bytes) in ByteUnits.Take(3))
        {
            if (value != 0 && value % bytes == 0)
                return string.Create(CultureInfo.InvariantCulture, $"{value / bytes}{unit}");
        }

        return value.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>A bound as the setting's values are written.</summary>
    internal static string Format(SettingProperty setting, double bound)
    {
        if (setting.IsByteSize)
            return FormatBytes((long)bound);
        return setting.Type == typeof(TimeSpan)
            ? FormatDuration(TimeSpan.FromSeconds(bound))
            : bound.ToString(CultureInfo.InvariantCulture);
    }
}
