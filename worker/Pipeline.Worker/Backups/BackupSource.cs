using System.CommandLine;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Configuration;
using Pipeline.Storage;
using Pipeline.Worker.CommandLine;

namespace Pipeline.Worker.Backups;

/// <summary>
/// Which backups a command works on: those of a configuration, or those in a folder where no configuration is left.
/// </summary>
internal sealed class BackupSource
{
    private readonly Option<string?> _from = new("--from")
    {
        Description = "A folder of backups, in place of a configuration's destinations.",
        HelpName = "FOLDER",
    };
    private readonly Option<string?> _keyFile = new("--backup-key-file")
    {
        Description = "With --from: file that holds the backups' key.",
        HelpName = "FILE",
    };
    private readonly CommonOptions _common;

    /// <summary>Gives a command the options.</summary>
    public BackupSource(Command command, CommonOptions common)
    {
        _common = common;
        common.AddConfigTo(command);
        command.Add(_from);
        command.Add(_keyFile);
        command.Validators.Add(result =>
        {
            if (
                result.GetResult(_from) is { Implicit: false }
                && result.GetResult(_common.Config) is { Implicit: false }
            )
            {
                result.AddError("--config and --from cannot be combined; give one of them");
            }

            if (result.GetResult(_keyFile) is { Implicit: false } && result.GetResult(_from) is not { Implicit: false })
                result.AddError("--backup-key-file goes with --from; a configuration names the key under 'encryption'");
        });
    }

    /// <summary>The definitions, of one name or of all.</summary>
    /// <exception cref="WorkerException">There is none of the name.</exception>
    public IReadOnlyList<BackupDefinition> Find(CommandRun run, string? name, out PipelineConfiguration? configuration)
    {
        configuration = null;
        if (run.Parsed.GetValue(_from) is { } folder)
        {
            if (!Directory.Exists(folder))
                throw new WorkerException($"--from '{folder}' is not a folder", ExitCodes.Usage);
            var key = run.Parsed.GetValue(_keyFile) is { } file ? new StorageEncryption { KeyFile = file } : null;
            IEnumerable<string> names = name is not null
                ? [name]
                : Directory
                    .GetDirectories(folder)
                    .Where(d => File.Exists(Path.Combine(d, "repository.json")))
                    .Select(d => Path.GetFileName(d)!)
                    .Order(StringComparer.Ordinal);
            return
            [
                .. names.Select(n => new BackupDefinition
                {
                    Name = n,
                    Destinations = [new FolderDefinition(folder)],
                    Encryption = key,
                }),
            ];
        }
        configuration = DataSource.LoadConfiguration(
            run.Settings,
            "a configuration with --config FILE or a folder of backups with --from FOLDER"
        );
        var all = configuration.Backups;
        if (all.Count == 0)
            throw new WorkerException($"{configuration.File} has no 'backups'", ExitCodes.Usage);
        RequireSecrets(configuration, run.Settings, name);
        var chosen = all.Where(b => name is null || b.Name == name).Select(b => b.ToDefinition()).ToList();
        return chosen.Count > 0
            ? chosen
            : throw new WorkerException(
                $"there is no backup '{name}' in {configuration.File}; it has: {string.Join(", ", all.Select(b => b.Name))}",
                ExitCodes.Usage
            );
    }

    /// <summary>
    /// The worker given with <c>--url</c>, or the one that has the configuration's database open;
    /// <see langword="null"/> if there is none, or if <c>--from</c> names a folder of backups.
    /// </summary>
    public async Task<string?> FindWorkerAsync(
        CommandRun run,
        Option<string?> url,
        CancellationToken cancellationToken
    ) =>
        run.Parsed.GetValue(_from) is null
            ? await RunningWorker.FindAsync(run, url, cancellationToken).ConfigureAwait(false)
            : run.Parsed.GetValue(url);

    /// <summary>Refuses backups whose secrets or keys come from commands that the settings do not allow.</summary>
    /// <exception cref="WorkerException">One is missing.</exception>
    public static void RequireSecrets(PipelineConfiguration configuration, CommandSettings settings, string? name)
    {
        DataSource.RequireSecrets(configuration, "backups");
        if (
            !settings.RunsCommands
            && configuration.Backups.FirstOrDefault(b =>
                (name is null || b.Name == name) && b.Encryption?.KeyCommand is not null
            )
                is { } keyed
        )
        {
            throw new WorkerException(
                $"{configuration.File}: the key of backup '{keyed.Name}' comes from encryption.keyCommand, which this command runs only with --run-commands",
                ExitCodes.Usage
            );
        }
    }

    /// <summary>Opens the repositories of a definition; missing ones are left out.</summary>
    /// <exception cref="BackupException">None can be opened.</exception>
    public static async Task<IReadOnlyList<BackupRepository>> OpenAsync(
        CommandRun run,
        BackupDefinition definition,
        CancellationToken ct
    )
    {
        var opened = await RepositoryAccess
            .OpenAsync(
                definition,
                new BackupRunnerOptions { Time = run.Time, Loggers = run.Loggers },
                create: false,
                ct
            )
            .ConfigureAwait(false);
        foreach (var (_, _, error) in opened)
        {
            if (error is not null)
                await run.Console.Error.WriteLineAsync("pipeline: " + error.Message).ConfigureAwait(false);
        }

        List<BackupRepository> found = [.. opened.Select(o => o.Repository).OfType<BackupRepository>()];
        return found.Count > 0 || opened.Any(o => o.Error is null)
            ? found
            : throw new BackupException($"backup '{definition.Name}': no destination can be opened.", opened[0].Error);
    }
}
