using System.CommandLine;
using Pipeline.Storage;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline rekey</c>: another key for an encrypted database that no program has open.</summary>
internal sealed class RekeyCommand : WorkerCommand
{
    private readonly Option<string?> _file = new("--new-key-file") { Description = "File that holds the new key." };
    private readonly Option<string?> _variable = new("--new-key-variable") { Description = "Environment variable that holds the new key." };
    private readonly Option<string?> _command = new("--new-key-command") { Description = "Command that prints the new key." };
    private readonly Option<bool> _data = new("--data-key") { Description = "Make a new data key too and rewrite all data under it." };

    public RekeyCommand(CommonOptions common)
        : base("rekey", "Put an encrypted database under a new key; the present one is that of the configuration, or --key-file and the like beside --data.")
    {
        Add(_file);
        Add(_variable);
        Add(_command);
        Add(_data);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var key = new StorageEncryption { KeyFile = run.Parsed.GetValue(_file), KeyVariable = run.Parsed.GetValue(_variable), KeyCommand = run.Parsed.GetValue(_command) };
        var given = new[] { key.KeyFile, key.KeyVariable, key.KeyCommand }.Count(k => k is not null);
        var data = run.Parsed.GetValue(_data);
        if (given > 1 || (given == 0 && !data))
            throw new WorkerException("name the new key by one of --new-key-file, --new-key-variable and --new-key-command, or ask for --data-key", ExitCodes.Usage);
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        if (given == 1)
        {
            opened.Database.Storage.ChangeKey(key);
            await run.Console.Out.WriteLineAsync("The database is under the new key; name it in the configuration.".AsMemory(), cancellationToken).ConfigureAwait(false);
        }
        if (data)
        {
            await opened.Database.Storage.RotateDataKeyAsync(cancellationToken).ConfigureAwait(false);
            await run.Console.Out.WriteLineAsync("All data is under a new data key.".AsMemory(), cancellationToken).ConfigureAwait(false);
        }
        return ExitCodes.Success;
    }
}
