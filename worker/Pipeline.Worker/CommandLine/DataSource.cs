using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.Runner.Settings;
using Pipeline.Storage;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// Which database a command works on, from <c>--config</c>, <c>--data</c> or the current folder's pipeline.yaml.
/// </summary>
/// <param name="Name">The database's name.</param>
/// <param name="Path">Its folder, absolute.</param>
/// <param name="Configuration">The configuration, unless a folder was named.</param>
/// <param name="Key">The key that was named for the folder.</param>
internal sealed record DataSource(
    string Name,
    string Path,
    PipelineConfiguration? Configuration,
    StorageEncryption? Key
)
{
    /// <summary>How its storage is opened or inspected.</summary>
    public StorageOptions Storage => StorageOf(Path);

    /// <summary>
    /// The same settings for another store. The store of a cluster's node opens as a follower: the node would discard
    /// the writes of a command when it follows its log again.
    /// </summary>
    public StorageOptions StorageOf(string folder)
    {
        var options = StorageSettings.Of(Configuration, folder);
        return options with { Encryption = Key ?? options.Encryption, IsReplica = ReplicaFolder.IsReplica(folder) };
    }

    /// <summary>Name and folder, for messages.</summary>
    public string Description => $"'{Name}' ({Path})";

    /// <summary>The configuration, or for a folder one that has no tasks.</summary>
    public PipelineConfiguration ToConfiguration()
    {
        if (Configuration is not null)
            return Configuration;
        var name = string.Concat(Name.Where(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_'));
        var text = $"""
            version: 1
            database:
              name: '{(name.Length == 0 ? "data" : name)}'
              path: {Quote(Path)}
            """;
        if (Key is not null)
        {
            text +=
                "\n  encryption: "
                + (
                    Key.KeyFile is { } file ? $"{{ keyFile: {Quote(System.IO.Path.GetFullPath(file))} }}"
                    : Key.KeyVariable is { } variable ? $"{{ keyVariable: {Quote(variable)} }}"
                    : $"{{ keyCommand: {Quote(Key.KeyCommand!)} }}"
                );
        }

        return PipelineConfiguration.Parse(text, "--data", FixedVariables.None);
    }

    private static string Quote(string text) => $"'{text.Replace("'", "''", StringComparison.Ordinal)}'";

    /// <summary>Finds it.</summary>
    /// <exception cref="WorkerException">None is named and none is here.</exception>
    /// <exception cref="ConfigurationException">The configuration has faults.</exception>
    public static DataSource Find(CommandSettings settings)
    {
        if (settings.Data is not null)
        {
            if (settings.Data.Length == 0)
                throw new WorkerException("--data is empty; name the database's folder", ExitCodes.Usage);
            var path = System.IO.Path.GetFullPath(settings.Data);
            var name = System.IO.Path.GetFileName(path.TrimEnd(System.IO.Path.DirectorySeparatorChar));
            return new DataSource(name.Length == 0 ? "data" : name, path, null, settings.Key);
        }
        var configuration = LoadConfiguration(
            settings,
            "a configuration with --config FILE or a data folder with --data FOLDER"
        );
        return Of(configuration, settings);
    }

    /// <summary>The database of a configuration.</summary>
    /// <exception cref="WorkerException">
    /// It cannot be opened without running a command of the file, which the settings do not allow.
    /// </exception>
    public static DataSource Of(PipelineConfiguration configuration, CommandSettings settings)
    {
        RequireSecrets(configuration, "database");
        if (!settings.RunsCommands && configuration.Database.Encryption?.KeyCommand is not null)
        {
            throw new WorkerException(
                $"{configuration.File}: the database's key comes from database.encryption.keyCommand, which this command runs only with --run-commands",
                ExitCodes.Usage
            );
        }

        return new DataSource(configuration.Database.Name, configuration.Database.Path, configuration, null);
    }

    /// <summary>Loads the named configuration, or the one in the current folder.</summary>
    public static PipelineConfiguration LoadConfiguration(CommandSettings settings, string suggestion)
    {
        if (settings.Config is null && !File.Exists(WorkerDefaults.ConfigurationFile))
        {
            throw new WorkerException(
                $"there is no {WorkerDefaults.ConfigurationFile} in {Environment.CurrentDirectory}; name {suggestion}",
                ExitCodes.Usage
            );
        }

        return PipelineConfiguration.Load(
            settings.Config ?? WorkerDefaults.ConfigurationFile,
            EnvironmentVariables.Instance,
            runsCommands: settings.RunsCommands
        );
    }

    /// <summary>Refuses a configuration that lacks a secret which the command needs.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="section">The section that the command needs.</param>
    /// <exception cref="WorkerException">A setting of the section was not read.</exception>
    public static void RequireSecrets(PipelineConfiguration configuration, string section)
    {
        var missing = configuration.Unread.FirstOrDefault(u =>
            u.Path.StartsWith(section + ".", StringComparison.Ordinal)
            || u.Path.StartsWith(section + "[", StringComparison.Ordinal)
        );
        if (missing is not null)
        {
            throw new WorkerException(
                $"{configuration.File}:{missing.Line}:{missing.Column}: {missing.Path} needs {missing.Reference}, which this command runs only with --run-commands",
                ExitCodes.Usage
            );
        }
    }
}
