using Quartz;

namespace Pipeline.Backups;

/// <summary>Configured cron expressions.</summary>
public static class CronText
{
    private const int LeastFields = 6;

    /// <summary>Each field with its allowed values, and an expression that tests the field alone.</summary>
    private static readonly (string Name, string Values, string Alone)[] Fields =
    [
        ("seconds", "0 to 59", "{0} 0 0 * * ?"),
        ("minutes", "0 to 59", "0 {0} 0 * * ?"),
        ("hours", "0 to 23", "0 0 {0} * * ?"),
        ("day of month", "1 to 31, L, LW, 15W or ?", "0 0 0 {0} * ?"),
        ("month", "1 to 12 or JAN to DEC", "0 0 0 1 {0} ?"),
        ("day of week", "1 to 7 or SUN to SAT (1 is Sunday), 6L, 6#3 or ?", "0 0 0 ? * {0}"),
        ("year", "1970 to 2099", "0 0 0 1 1 ? {0}"),
    ];

    /// <summary>What is wrong with an expression; null if it is valid.</summary>
    public static string? Problem(string text)
    {
        if (Parse(text) is { } expression)
            return expression.GetNextValidTimeAfter(DateTimeOffset.UnixEpoch) is null ? "no date matches it" : null;
        var parts = text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        if (parts.Length < LeastFields || parts.Length > Fields.Length)
            return $"it has {parts.Length} {(parts.Length == 1 ? "field" : "fields")} instead of {LeastFields} or {Fields.Length}";
        for (var i = 0; i < parts.Length; i++)
        {
            if (parts[i] != "?" && Parse(Fields[i].Alone.Replace("{0}", parts[i], StringComparison.Ordinal)) is null)
                return $"'{parts[i]}' is not a value for {Fields[i].Name}, which takes {Fields[i].Values}, and lists, ranges and steps of them";
        }
        return "day of month and day of week cannot be combined like this; write '?' for one of them";
    }

    private static CronExpression? Parse(string text)
    {
        try
        {
            return CronExpression.Parse(text);
        }
        catch (FormatException)
        {
            // Quartz reports a position in its own form of the text; Problem names the field of the user's text.
            return null;
        }
    }
}
