using Microsoft.Extensions.Logging;

namespace Pipeline.Runner;

/// <summary>Log messages of a run. Event ids 5000–5009.</summary>
internal static partial class RunnerLog
{
    [LoggerMessage(5000, LogLevel.Information, "opened '{Database}' in {Folder} at position {Position}")]
    public static partial void Opened(ILogger logger, string database, string folder, long position);

    [LoggerMessage(5001, LogLevel.Information, "imported {Documents} documents from {File}")]
    public static partial void Imported(ILogger logger, long documents, string file);

    [LoggerMessage(5005, LogLevel.Information, "an import was interrupted; it resumes after line {Line} of {File}")]
    public static partial void ImportGoesOn(ILogger logger, long line, string file);

    [LoggerMessage(
        5006,
        LogLevel.Warning,
        "tasks did not stop within {Seconds} s; the next start sends their unconfirmed messages again"
    )]
    public static partial void StopTimedOut(ILogger logger, double seconds);

    [LoggerMessage(5007, LogLevel.Warning, "{Warning}")]
    public static partial void ConfigurationWarning(ILogger logger, string warning);

    [LoggerMessage(
        5008,
        LogLevel.Warning,
        "the tasks have not sent everything within {Seconds} s; the next run continues from their positions"
    )]
    public static partial void TimedOut(ILogger logger, double seconds);
}
