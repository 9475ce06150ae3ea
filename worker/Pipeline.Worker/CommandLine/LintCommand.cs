using System.CommandLine;
using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline lint</c>: reads a configuration and compiles its transforms, and starts nothing.</summary>
internal sealed class LintCommand : WorkerCommand
{
    private readonly CommonOptions _common;
    private readonly Argument<string?> _file = new("FILE")
    {
        Description = "The configuration file (default: pipeline.yaml in the current folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _noVariables = new("--no-variables")
    {
        Description =
            "Ignore missing variables and read no secrets from outside the file's folder, for example in a build. Values that depend on them are not checked.",
    };

    public LintCommand(CommonOptions common)
        : base("lint", "Check a configuration and its transforms; print each fault with file, line and column.")
    {
        _common = common;
        AddPlain(_file);
        common.AddConfigTo(this);
        Add(_noVariables);
        AddJson();
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var file =
            run.Parsed.GetValue(_file) ?? run.Parsed.GetValue(_common.Config) ?? WorkerDefaults.ConfigurationFile;
        var ignoresVariables = run.Parsed.GetValue(_noVariables);
        var found = PipelineConfiguration.Lint(
            file,
            EnvironmentVariables.Instance,
            ignoresVariables: ignoresVariables,
            runsCommands: run.Settings.RunsCommands
        );
        foreach (var fault in run.IsJson ? [] : found)
        {
            await run
                .Console.Out.WriteLineAsync(Printable.Of(fault.ToString()).AsMemory(), cancellationToken)
                .ConfigureAwait(false);
        }

        if (found.Any(f => !f.IsWarning))
        {
            if (run.IsJson)
                await run.PrintAsync(new { file, found }, "", cancellationToken).ConfigureAwait(false);
            return ExitCodes.Usage;
        }
        var summary = $"{file}: no faults{(found.Count == 0 ? "" : ", " + Some(found.Count, "warning"))}";
        PipelineConfiguration? configuration = null;
        if (!ignoresVariables)
        {
            configuration = PipelineConfiguration.Load(
                file,
                EnvironmentVariables.Instance,
                runsCommands: run.Settings.RunsCommands
            );
            summary +=
                $"; {Some(configuration.Etl.Count, "task")}, {Some(configuration.Connections.Count, "connection")}";
            if (configuration.Unread.Count > 0)
            {
                summary +=
                    $"; {Some(configuration.Unread.Count, "value")} not checked, since lint runs no commands (--run-commands)";
            }
        }

        var result = new
        {
            file,
            found,
            tasks = configuration?.Etl.Count,
            connections = configuration?.Connections.Count,
            unread = configuration?.Unread.Count,
        };
        await run.PrintAsync(result, summary, cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static string Some(int count, string thing) => count == 1 ? $"1 {thing}" : $"{count} {thing}s";
}
