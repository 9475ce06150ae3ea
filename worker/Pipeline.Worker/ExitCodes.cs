namespace Pipeline.Worker;

/// <summary>What the exit codes of <c>pipeline</c> mean. They are part of the command line's contract and do not change.</summary>
public static class ExitCodes
{
    /// <summary>Everything that was asked for is done.</summary>
    public const int Success = 0;

    /// <summary>Work failed: a task stopped, documents became dead letters, a line of an import was refused, a document is missing.</summary>
    public const int Failed = 1;

    /// <summary>The command line, the configuration or the data folder is wrong (or held by another process); nothing was started.</summary>
    public const int Usage = 2;

    /// <summary>Interrupted (Ctrl+C or SIGTERM) before the work was done; all that was confirmed is kept and the rest is taken up by the next start.</summary>
    public const int Interrupted = 130;
}
