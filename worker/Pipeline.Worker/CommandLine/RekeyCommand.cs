using System.CommandLine;
using Pipeline.Storage;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline rekey</c>: changes the key of an encrypted database that no process has open.</summary>
internal sealed class RekeyCommand : WorkerCommand
{
    private readonly Option<string?> _file = new("--new-key-file") { Description = "File that holds the new key." };
    private readonly Option<string?> _variable = new("--new-key-variable")
    {
        Description = "Environment variable that holds the new key.",
    };
    private readonly Option<string?> _command = new("--new-key-command")
    {
        Description = "Command that prints the new key.",
    };
    private readonly Option<bool> _data = new("--data-key")
    {
        Description = "Make a new data key too and rewrite all data under it.",
    };

    public RekeyCommand(CommonOptions common)
        : base(
            "rekey",
            "Change the key of an encrypted database. The present key comes from the configuration, or with --data from --key-file and the like."
        )
    {
        Add(_file);
        Add(_variable);
        Add(_command);
        Add(_data);
        AddJson();
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) => "the same command completes the change";

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var key = new StorageEncryption
        {
            KeyFile = run.Parsed.GetValue(_file),
            KeyVariable = run.Parsed.GetValue(_variable),
            KeyCommand = run.Parsed.GetValue(_command),
        };
        var given = new[] { key.KeyFile, key.KeyVariable, key.KeyCommand }.Count(k => k is not null);
        var data = run.Parsed.GetValue(_data);
        if (given > 1 || (given == 0 && !data))
        {
            throw new WorkerException(
                "name the new key by one of --new-key-file, --new-key-variable and --new-key-command, or ask for --data-key",
                ExitCodes.Usage
            );
        }

        var source = DataSource.Find(run.Settings);
        OpenedDatabase.CheckExists(source);
        if (data && ReplicaFolder.IsReplica(source.Path))
        {
            throw new WorkerException(
                $"{source.Path} is the folder of a cluster's node, whose pages change by the log only. For a new data key, empty the folder: the node is filled from a peer, under a new key",
                ExitCodes.Usage
            );
        }

        var stores = Stores(source.Path);
        foreach (var folder in stores)
        {
            using var store = Open(source, folder, given == 1 ? key : null, run);
            if (given == 1)
                store.ChangeKey(key);
            if (data)
                await store.RotateDataKeyAsync(cancellationToken).ConfigureAwait(false);
        }
        if (run.IsJson)
        {
            var changed = new
            {
                stores = stores.Count,
                key = given == 1,
                dataKey = data,
            };
            await run.PrintAsync(changed, "", cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }

        var others = stores.Count > 1 ? $", with {stores.Count - 1} of its indexes and of clients' databases," : "";
        if (given == 1)
        {
            await run
                .Console.Out.WriteLineAsync(
                    $"The database{others} is under the new key; name it in the configuration.".AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }

        if (data)
        {
            await run
                .Console.Out.WriteLineAsync($"All data{others} is under a new data key.".AsMemory(), cancellationToken)
                .ConfigureAwait(false);
        }

        return ExitCodes.Success;
    }

    /// <summary>
    /// The folders of all stores below a path: indexes, clients' databases, and the database itself. It comes last, so
    /// that an interrupted run is noticed and can be repeated.
    /// </summary>
    private static IReadOnlyList<string> Stores(string path) =>
        [
            .. Directory
                .EnumerateFiles(path, "pipeline.data", SearchOption.AllDirectories)
                .Select(f => Path.GetDirectoryName(f)!)
                .OrderByDescending(f => f.Length)
                .ThenBy(f => f, StringComparer.Ordinal),
        ];

    /// <summary>
    /// Opens a store with its present key, or with the new one if an interrupted run has changed it already.
    /// </summary>
    private static StorageEnvironment Open(DataSource source, string folder, StorageEncryption? next, CommandRun run)
    {
        var options = source.StorageOf(folder) with
        {
            Path = folder,
            TimeProvider = run.Time,
            LoggerFactory = run.Loggers,
        };
        try
        {
            return StorageEnvironment.Open(options);
        }
        catch (WrongKeyException) when (next is not null && folder != source.Path)
        {
            return StorageEnvironment.Open(options with { Encryption = next });
        }
    }
}
