using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
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
)
{
    /// <summary>Whether the command line asks for JSON.</summary>
    public bool IsJson => Parsed.GetResult(WorkerCommand.JsonName) is OptionResult { Implicit: false };

    /// <summary>Prints the result of a command: as JSON if <c>--json</c> asks for it, otherwise a text.</summary>
    public Task PrintAsync(object result, string text, CancellationToken cancellationToken = default) =>
        Console.Out.WriteLineAsync(
            (IsJson ? JsonSerializer.Serialize(result, JsonForms.Indented) : text).AsMemory(),
            cancellationToken
        );
}
