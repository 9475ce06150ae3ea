namespace Pipeline.Worker.Hosting;

/// <summary>Why a command cannot go on: one line that names the thing, the place and the mend, and the exit code.</summary>
public class WorkerException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">One line for people.</param>
    /// <param name="exitCode">One of <see cref="ExitCodes"/>.</param>
    /// <param name="innerException">What was behind it.</param>
    public WorkerException(string message, int exitCode, Exception? innerException = null)
        : base(message, innerException)
    {
        ExitCode = exitCode;
    }

    /// <summary>The process's exit code.</summary>
    public int ExitCode { get; }
}
