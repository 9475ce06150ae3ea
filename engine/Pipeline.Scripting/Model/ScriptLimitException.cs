using System.Globalization;

namespace Pipeline.Scripting;

/// <summary>A run went over one of its <see cref="ScriptLimits"/>.</summary>
public sealed class ScriptLimitException : ScriptRuntimeException
{
    /// <summary>Creates the error.</summary>
    public ScriptLimitException(string limit, string value, string? source = null, int line = 0, int column = 0)
        : base($"The script was stopped: it went over {Key(limit)} = {Readable(limit, value)}.", source, line, column)
    {
        Limit = limit;
        Value = value;
    }

    /// <summary>Name of the limit, as in <see cref="ScriptLimits"/>.</summary>
    public string Limit { get; }

    /// <summary>The limit's value.</summary>
    public string Value { get; }

    /// <summary>The key by which a task sets it.</summary>
    private static string Key(string limit) =>
        limit switch
        {
            nameof(ScriptLimits.MaxTime) => "limits.time",
            nameof(ScriptLimits.MaxSteps) => "limits.steps",
            nameof(ScriptLimits.MaxAllocatedBytes) => "limits.allocatedBytes",
            nameof(ScriptLimits.MaxMessages) => "limits.messages",
            nameof(ScriptLimits.MaxBodyBytes) => "limits.bodyBytes",
            _ => limit,
        };

    /// <summary>The value as a task's keys are written: <c>200ms</c>, <c>16MiB</c>.</summary>
    private static string Readable(string limit, string value)
    {
        if (
            limit == nameof(ScriptLimits.MaxTime)
            && TimeSpan.TryParseExact(value, "c", CultureInfo.InvariantCulture, out var time)
        )
        {
            return time.Ticks % TimeSpan.TicksPerMinute == 0 ? Number(time.TotalMinutes) + "m"
                : time.Ticks % TimeSpan.TicksPerSecond == 0 ? Number(time.TotalSeconds) + "s"
                : Number(time.TotalMilliseconds) + "ms";
        }

        if (
            !limit.Contains("bytes", StringComparison.OrdinalIgnoreCase)
            || !long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var bytes)
        )
        {
            return value;
        }

        return bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? Number(bytes >> 20) + "MiB"
            : bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? Number(bytes >> 10) + "KiB"
            : value + " bytes";
    }

    private static string Number(double number) => number.ToString(CultureInfo.InvariantCulture);
}
