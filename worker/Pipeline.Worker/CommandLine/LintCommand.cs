using System.CommandLine;
using Pipeline.Etl.Configuration;

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

    public LintCommand(CommonOptions common)
        : base("lint", "Check a configuration and its transforms; each fault is named with file, line and column.")
    {
        _common = common;
        AddPlain(_file);
        Add(common.Config);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var file = run.Parsed.GetValue(_file) ?? run.Parsed.GetValue(_common.Config) ?? WorkerDefaults.ConfigurationFile;
        var faults = PipelineConfiguration.Lint(file, EnvironmentVariables.Instance);
        foreach (var fault in faults)
            await run.Console.Out.WriteLineAsync(fault.ToString().AsMemory(), cancellationToken).ConfigureAwait(false);
        if (faults.Count > 0)
            return ExitCodes.Usage;
        var configuration = PipelineConfiguration.Load(file, EnvironmentVariables.Instance);
        await run.Console.Out.WriteLineAsync(
            $"{file}: no faults; {Some(configuration.Etl.Count, "task")}, {Some(configuration.Connections.Count, "connection")}".AsMemory(),
            cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static string Some(int count, string thing) => count == 1 ? $"1 {thing}" : $"{count} {thing}s";
}
