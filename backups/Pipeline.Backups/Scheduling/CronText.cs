using Quartz;

namespace Pipeline.Backups;

/// <summary>Cron expressions as they are configured.</summary>
public static class CronText
{
    /// <summary>What is wrong with an expression, or null.</summary>
    public static string? Problem(string text)
    {
        try
        {
            return CronExpression.Parse(text).GetNextValidTimeAfter(DateTimeOffset.UnixEpoch) is null ? "it names no moment" : null;
        }
        catch (FormatException e)
        {
            return e.Message.TrimEnd('.');
        }
    }
}
