using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Terminal;

/// <summary>Where a command writes: results to standard output, logs, progress and errors to standard error.</summary>
/// <remarks>Tests give their own writers, so that a command can be run in the test's process.</remarks>
internal sealed class WorkerConsole
{
    private readonly bool _isErrorTerminal;

    /// <summary>Makes a console of two writers.</summary>
    public WorkerConsole(TextWriter output, TextWriter error, Stream outputStream, bool isOutputTerminal = false, bool isErrorTerminal = false)
    {
        Out = output;
        Error = TextWriter.Synchronized(error);
        OutStream = outputStream;
        IsOutputTerminal = isOutputTerminal;
        _isErrorTerminal = isErrorTerminal;
    }

    /// <summary>Standard output, for results.</summary>
    public TextWriter Out { get; }

    /// <summary>Standard error, for everything else. Thread-safe.</summary>
    public TextWriter Error { get; }

    /// <summary>Standard output as bytes, for documents; not mixed with <see cref="Out"/> without flushing.</summary>
    public Stream OutStream { get; }

    /// <summary>Whether a person sees standard output.</summary>
    public bool IsOutputTerminal { get; }

    /// <summary>Whether a person sees standard error: then progress is a table that is drawn anew, else lines.</summary>
    public bool IsErrorTerminal => _isErrorTerminal && NoticeFormat is null;

    /// <summary>Formats notices and errors for standard error, for example as JSON; <see langword="null"/> writes plain text.</summary>
    public Func<LogLevel, string, string>? NoticeFormat { get; set; }

    /// <summary>While something is drawn on the terminal: writes a line above it.</summary>
    public Action<string>? Interject { get; set; }

    /// <summary>Writes a line to standard error, above what is drawn there. Thread-safe.</summary>
    public void WriteNotice(string line)
    {
        if (Interject is { } interject)
            interject(line);
        else
            WriteError(LogLevel.Warning, line);
    }

    /// <summary>Writes a line to standard error, in the form that was asked for.</summary>
    public void WriteError(LogLevel level, string line) => Error.WriteLine(NoticeFormat?.Invoke(level, line) ?? line);

    /// <summary>The process's own console.</summary>
    public static WorkerConsole OfProcess() => new(
        Console.Out,
        Console.Error,
        Console.OpenStandardOutput(),
        isOutputTerminal: !Console.IsOutputRedirected && IsCapable(),
        isErrorTerminal: !Console.IsErrorRedirected && IsCapable());

    private static bool IsCapable() => !string.Equals(Environment.GetEnvironmentVariable("TERM"), "dumb", StringComparison.Ordinal);
}
