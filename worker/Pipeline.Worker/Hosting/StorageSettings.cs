using Pipeline.Etl.Configuration;
using Pipeline.Storage;

namespace Pipeline.Worker.Hosting;

/// <summary>What a configuration says of the storage.</summary>
internal static class StorageSettings
{
    /// <summary>The options of a store; the defaults where there is no configuration.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="folder">The store's folder: only the configuration's own database has its journal where that says.</param>
    public static StorageOptions Of(PipelineConfiguration? configuration, string? folder) => new()
    {
        JournalPath = configuration?.Database is { JournalPath.Length: > 0 } database && folder is not null && Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder)) == Path.TrimEndingDirectorySeparator(database.Path)
            ? database.JournalPath
            : null,
        JournalCompression = configuration?.Database.JournalCompression ?? new StorageOptions().JournalCompression,
        ScrubInterval = configuration?.Database.Scrub.Interval is { } interval && interval > TimeSpan.Zero ? interval : null,
        ScrubBytesPerSecond = configuration?.Database.Scrub.BytesPerSecond ?? new StorageOptions().ScrubBytesPerSecond,
        Encryption = configuration?.Database.Encryption is not { } encryption ? null : new StorageEncryption
        {
            KeyFile = encryption.KeyFile, KeyVariable = encryption.KeyVariable, KeyCommand = encryption.KeyCommand,
        },
    };
}
