namespace Pipeline.Runner;

/// <summary>
/// The exit codes of <c>pipeline</c>. They are part of the command line's contract and do not change.
/// </summary>
public static class ExitCodes
{
    /// <summary>Everything requested is done.</summary>
    public const int Success = 0;

    /// <summary>
    /// Work failed: a task stopped, documents became dead letters, a line of an import was refused, or a document is
    /// missing.
    /// </summary>
    public const int Failed = 1;

    /// <summary>
    /// The command line, the configuration or the data folder is wrong, or another process holds the folder; nothing
    /// was started.
    /// </summary>
    public const int Usage = 2;

    /// <summary>
    /// Interrupted (Ctrl+C or SIGTERM) before the work was done. Everything confirmed is kept, and the next start
    /// resumes the rest.
    /// </summary>
    public const int Interrupted = 130;
}
