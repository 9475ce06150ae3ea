using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>One call of a command.</summary>
/// <param name="Parsed">What was typed.</param>
/// <param name="Settings">What the common options said.</param>
/// <param name="Console">Where it writes.</param>
/// <param name="Screen">Where logs and progress go.</param>
/// <param name="Loggers">Logs to the screen, at the level that was asked for.</param>
/// <param name="Time">The clock.</param>
internal sealed record CommandRun(
    ParseResult Parsed, CommandSettings Settings, WorkerConsole Console, RunScreen Screen, ILoggerFactory Loggers, TimeProvider Time);
