namespace Pipeline.Runner;

/// <summary>
/// Ends a command with an error: one line that says what failed, where, and what to do, and the exit code.
/// </summary>
public class WorkerException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="message">One line for people.</param>
    /// <param name="exitCode">One of <see cref="ExitCodes"/>.</param>
    /// <param name="innerException">The underlying error.</param>
    public WorkerException(string message, int exitCode, Exception? innerException = null)
        : base(message, innerException)
    {
        ExitCode = exitCode;
    }

    /// <summary>The process's exit code.</summary>
    public int ExitCode { get; }
}
