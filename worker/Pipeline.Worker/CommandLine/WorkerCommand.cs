using System.CommandLine;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.CommandLine;

/// <summary>A command of <c>pipeline</c>.</summary>
internal abstract class WorkerCommand(string name, string description) : Command(name, description)
{
    /// <summary>The option that makes a command print JSON.</summary>
    public const string JsonName = "--json";

    /// <summary>The default log level.</summary>
    public virtual LogLevel UsualLogLevel => LogLevel.Warning;

    /// <summary>What an interrupted run leaves behind, and how to go on, as a clause; null if it leaves nothing.</summary>
    public virtual string? WhenStopped(ParseResult parsed) => null;

    /// <summary>Runs the command.</summary>
    /// <returns>One of <see cref="ExitCodes"/>.</returns>
    public abstract Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken);

    /// <summary>Adds <c>--json</c>, for <see cref="CommandRun.PrintAsync"/>.</summary>
    internal void AddJson(string description = "Print the result as JSON.") =>
        Add(new Option<bool>(JsonName) { Description = description });

    /// <summary>Adds an argument that cannot be a mistyped option.</summary>
    internal void AddPlain(Argument argument)
    {
        argument.Validators.Add(result =>
        {
            var option = result.Tokens.FirstOrDefault(t => t.Value.Length > 1 && t.Value.StartsWith('-'));
            if (option is not null)
                result.AddError($"there is no option '{option.Value}'");
        });
        Add(argument);
    }
}
