using System.Text;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Terminal;

/// <summary>A command's output: results to standard output; logs, progress and errors to standard error.</summary>
/// <remarks>Tests pass their own writers, so that a command can run in the test's process.</remarks>
internal sealed class WorkerConsole
{
    private readonly bool _isErrorTerminal;
    private readonly Stream? _input;

    /// <summary>Creates a console on two writers.</summary>
    public WorkerConsole(
        TextWriter output,
        TextWriter error,
        Stream outputStream,
        bool isOutputTerminal = false,
        bool isErrorTerminal = false,
        Stream? input = null
    )
    {
        _input = input;
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

    /// <summary>Standard output as bytes, for documents; flush before mixing it with <see cref="Out"/>.</summary>
    public Stream OutStream { get; }

    /// <summary>Standard input as bytes.</summary>
    public Stream InStream => _input ?? Console.OpenStandardInput();

    /// <summary>Whether standard output is a terminal.</summary>
    public bool IsOutputTerminal { get; }

    /// <summary>Whether standard error is a terminal: progress is then a redrawn table, otherwise lines.</summary>
    public bool IsErrorTerminal => _isErrorTerminal && NoticeFormat is null;

    /// <summary>
    /// Formats notices and errors for standard error, for example as JSON; <see langword="null"/> writes plain text.
    /// </summary>
    public Func<LogLevel, string, string>? NoticeFormat { get; set; }

    /// <summary>
    /// Receives each line for standard error as well, with its level: a service of Windows has no standard error that
    /// anybody reads.
    /// </summary>
    public Action<LogLevel, string>? Record { get; init; }

    /// <summary>Writes a line above the current drawing, while there is one.</summary>
    public Action<string>? Interject { get; set; }

    /// <summary>Writes a line to standard error, above the current drawing. Thread-safe.</summary>
    public void WriteNotice(string line)
    {
        if (Interject is { } interject)
            interject(line);
        else
            WriteError(LogLevel.Warning, line);
    }

    /// <summary>Writes a line to standard error, in the requested format.</summary>
    public void WriteError(LogLevel level, string line) => WriteLine(level, NoticeFormat?.Invoke(level, line) ?? line);

    /// <summary>Writes a line to standard error unchanged.</summary>
    public void WriteLine(LogLevel level, string line)
    {
        Error.WriteLine(line);
        Record?.Invoke(level, line);
    }

    /// <summary>The process's console.</summary>
    /// <param name="record">The <see cref="Record"/>.</param>
    public static WorkerConsole OfProcess(Action<LogLevel, string>? record = null)
    {
        // Consoles of Windows begin with a code page that lacks most characters; what reads the output expects UTF-8.
        if (OperatingSystem.IsWindows())
            Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        return new(
            Console.Out,
            Console.Error,
            Console.OpenStandardOutput(),
            isOutputTerminal: !Console.IsOutputRedirected && IsCapable(),
            isErrorTerminal: !Console.IsErrorRedirected && IsCapable()
        )
        {
            Record = record,
        };
    }

    private static bool IsCapable() =>
        !string.Equals(Environment.GetEnvironmentVariable("TERM"), "dumb", StringComparison.Ordinal);
}
