using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Storage;

namespace Pipeline.Worker.CommandLine;

/// <summary>The options that several commands have. One set is made for each command tree.</summary>
internal sealed class CommonOptions
{
    private static readonly Dictionary<string, LogLevel> Levels = new(StringComparer.OrdinalIgnoreCase)
    {
        ["trace"] = Microsoft.Extensions.Logging.LogLevel.Trace,
        ["debug"] = Microsoft.Extensions.Logging.LogLevel.Debug,
        ["info"] = Microsoft.Extensions.Logging.LogLevel.Information,
        ["warn"] = Microsoft.Extensions.Logging.LogLevel.Warning,
        ["error"] = Microsoft.Extensions.Logging.LogLevel.Error,
        ["none"] = Microsoft.Extensions.Logging.LogLevel.None,
    };

    /// <summary>The value of <see cref="LogFormat"/> for JSON.</summary>
    public const string JsonFormat = "json";

    /// <summary>The configuration file.</summary>
    public Option<string?> Config { get; } =
        new("--config", "-c")
        {
            Description = "The configuration file (default: pipeline.yaml in the current folder).",
            HelpName = "FILE",
        };

    /// <summary>The data folder, in place of a configuration.</summary>
    public Option<string?> Data { get; } =
        new("--data", "-d")
        {
            Description = "The database's folder, in place of a configuration file.",
            HelpName = "FOLDER",
        };

    /// <summary>Where the key of an encrypted database comes from, together with <see cref="Data"/>.</summary>
    private readonly Option<string?> _keyFile = new("--key-file")
    {
        Description = "With --data: file that holds the key of an encrypted database.",
        HelpName = "FILE",
    };
    private readonly Option<string?> _keyVariable = new("--key-variable")
    {
        Description = "Environment variable that holds the key.",
        HelpName = "NAME",
    };
    private readonly Option<string?> _keyCommand = new("--key-command")
    {
        Description = "Command that prints the key.",
        HelpName = "COMMAND",
    };

    /// <summary>Whether commands that the configuration names are run.</summary>
    public Option<bool> RunCommands { get; } =
        new("--run-commands")
        {
            Description =
                "Run the programs that the configuration names for its secrets and keys (secrets.command, keyCommand). Use it only for a file whose author you trust. Without it, only 'run' and 'apply' run them.",
        };

    /// <summary>How much is logged.</summary>
    public Option<string?> LogLevel { get; } = MakeLogLevel();

    /// <summary>How log lines are written.</summary>
    public Option<string?> LogFormat { get; } = MakeLogFormat();

    /// <summary>Whether errors show their traces.</summary>
    public Option<bool> Verbose { get; } =
        new("--verbose") { Description = "Show the trace of an error.", Recursive = true };

    /// <summary>Reads the settings of a command line.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="usualLevel">How much the command logs unless told otherwise.</param>
    public CommandSettings Read(ParseResult parsed, LogLevel usualLevel) =>
        new(
            parsed.GetValue(Config),
            parsed.GetValue(Data),
            parsed.GetValue(LogLevel) is { } level ? Levels[level] : usualLevel,
            parsed.GetValue(Verbose),
            parsed.GetValue(_keyFile) is null
            && parsed.GetValue(_keyVariable) is null
            && parsed.GetValue(_keyCommand) is null
                ? null
                : new StorageEncryption
                {
                    KeyFile = parsed.GetValue(_keyFile),
                    KeyVariable = parsed.GetValue(_keyVariable),
                    KeyCommand = parsed.GetValue(_keyCommand),
                }
        )
        {
            RunsCommands = parsed.GetValue(RunCommands),
        };

    /// <summary>Gives a command <see cref="Data"/> and the options of its key.</summary>
    public void AddDataTo(Command command)
    {
        command.Add(Data);
        Option<string?>[] keys = [_keyFile, _keyVariable, _keyCommand];
        foreach (var key in keys)
            command.Add(key);
        command.Validators.Add(result =>
        {
            var given = keys.Where(k => result.GetResult(k) is { Implicit: false }).Select(k => k.Name).ToList();
            if (given.Count > 0 && result.GetResult(Data) is not { Implicit: false })
                result.AddError($"{given[0]} goes with --data; a configuration names its key as database.encryption");
            else if (given.Count > 1)
                result.AddError($"{given[0]} and {given[1]} cannot be combined; give the one that has the key");
        });
    }

    /// <summary>Gives a command <see cref="Config"/> and <see cref="RunCommands"/>.</summary>
    public void AddConfigTo(Command command)
    {
        command.Add(Config);
        command.Add(RunCommands);
    }

    /// <summary>Adds <see cref="Config"/> and <see cref="Data"/> to a command, which accepts one of them.</summary>
    public void AddDatabaseTo(Command command)
    {
        AddConfigTo(command);
        AddDataTo(command);
        command.Validators.Add(result =>
        {
            if (result.GetResult(Config) is { Implicit: false } && result.GetResult(Data) is { Implicit: false })
                result.AddError("--config and --data cannot be combined; the configuration names the data folder");
        });
    }

    /// <summary>Refuses a command line that names both a running worker and a database.</summary>
    /// <param name="command">A command with <see cref="Config"/> and <see cref="Data"/>.</param>
    /// <param name="url">Its option that names a running worker.</param>
    /// <param name="error">The fault and its remedy.</param>
    public void RefuseWith(
        Command command,
        Option<string?> url,
        string error = "--url asks a running worker, --config and --data open a database: give one of them"
    ) =>
        command.Validators.Add(result =>
        {
            if (
                result.GetResult(url) is { Implicit: false }
                && (result.GetResult(Config) is { Implicit: false } || result.GetResult(Data) is { Implicit: false })
            )
            {
                result.AddError(error);
            }
        });

    /// <summary>
    /// Gives a command that needs a running worker <see cref="Config"/> and <see cref="Data"/>, by which it finds one.
    /// </summary>
    public void AddWorkerTo(Command command, Option<string?> url)
    {
        AddConfigTo(command);
        command.Add(Data);
        command.Validators.Add(result =>
        {
            if (result.GetResult(Config) is { Implicit: false } && result.GetResult(Data) is { Implicit: false })
                result.AddError("--config and --data cannot be combined; the configuration names the data folder");
        });
        RefuseWith(
            command,
            url,
            "--url names a running worker, --config and --data find the one that has a database open: give one of them"
        );
    }

    private static Option<string?> MakeLogFormat()
    {
        var option = new Option<string?>("--log-format")
        {
            Description = "Format of log lines on standard error: text (default) or json, one object a line.",
            HelpName = "FORMAT",
            Recursive = true,
        };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && result.Tokens[0].Value is not ("text" or JsonFormat))
                result.AddError($"--log-format '{result.Tokens[0].Value}' is not one of text, json");
        });
        return option;
    }

    private static Option<string?> MakeLogLevel()
    {
        var option = new Option<string?>("--log-level")
        {
            Description =
                "Least severity logged to standard error: trace, debug, info (default of run), warn (default of other commands), error or none.",
            HelpName = "LEVEL",
            Recursive = true,
        };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && !Levels.ContainsKey(result.Tokens[0].Value))
            {
                result.AddError(
                    $"--log-level '{result.Tokens[0].Value}' is not one of trace, debug, info, warn, error, none"
                );
            }
        });
        return option;
    }
}

/// <summary>The values of the common options.</summary>
/// <param name="Config">The configuration file, or <see langword="null"/> where none was named.</param>
/// <param name="Data">The data folder, or <see langword="null"/> where none was named.</param>
/// <param name="LogLevel">How much is logged.</param>
/// <param name="Verbose">Whether errors show their traces.</param>
/// <param name="Key">The key of the data folder, or <see langword="null"/> where none was named.</param>
internal sealed record CommandSettings(
    string? Config,
    string? Data,
    LogLevel LogLevel,
    bool Verbose,
    StorageEncryption? Key
)
{
    /// <summary>Whether commands that the configuration names are run.</summary>
    public bool RunsCommands { get; init; }
}
