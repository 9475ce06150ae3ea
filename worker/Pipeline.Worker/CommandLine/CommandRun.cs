using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>One invocation of a command.</summary>
/// <param name="Parsed">The parsed command line.</param>
/// <param name="Settings">The values of the common options.</param>
/// <param name="Console">The console to write to.</param>
/// <param name="Screen">The screen for logs and progress.</param>
/// <param name="Loggers">Loggers that write to the screen, at the requested level.</param>
/// <param name="Time">The clock.</param>
internal sealed record CommandRun(
    ParseResult Parsed,
    CommandSettings Settings,
    WorkerConsole Console,
    RunScreen Screen,
    ILoggerFactory Loggers,
    TimeProvider Time
);
