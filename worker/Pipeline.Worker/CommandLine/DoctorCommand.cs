using System.CommandLine;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Worker.Diagnosis;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline doctor</c>: lists risky settings in the file and on the machine.</summary>
internal sealed class DoctorCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print the findings as JSON." };
    private readonly IMachine _machine;

    public DoctorCommand(CommonOptions common, IMachine? machine = null)
        : base(
            "doctor",
            "List risky settings in the configuration and on this machine, each with its place and a remedy; exit code 1 if there is one. Starts nothing and changes nothing."
        )
    {
        _machine = machine ?? new ThisMachine();
        Add(_json);
        common.AddConfigTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var configuration = DataSource.LoadConfiguration(run.Settings, "a configuration with --config FILE");
        var found = new Doctor(configuration, _machine, run.Time.GetUtcNow()).Look();
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(found, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            foreach (var finding in found)
            {
                await run
                    .Console.Out.WriteLineAsync(
                        Printable
                            .Of($"{finding.Place}: {finding.Risk} To fix it, {finding.Suggestion}. [{finding.Check}]")
                            .AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }

            await run
                .Console.Out.WriteLineAsync(
                    (found.Count == 0 ? $"{configuration.File}: no risks found" : $"{found.Count} found").AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        return found.Count == 0 ? ExitCodes.Success : ExitCodes.Failed;
    }
}
