using Pipeline.Configuration;
using Pipeline.Storage;

namespace Pipeline.Runner.Settings;

/// <summary>Converts a configuration's storage settings.</summary>
internal static class StorageSettings
{
    /// <summary>The options of a store; the defaults without a configuration.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="folder">
    /// The store's folder; only the configuration's own database uses the configured journal folder.
    /// </param>
    public static StorageOptions Of(PipelineConfiguration? configuration, string? folder) =>
        new()
        {
            JournalPath =
                configuration?.Database is { JournalPath.Length: > 0 } database
                && folder is not null
                && Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder))
                    == Path.TrimEndingDirectorySeparator(database.Path)
                    ? database.JournalPath
                    : null,
            JournalCompression = configuration?.Database.JournalCompression ?? new StorageOptions().JournalCompression,
            MaxHeldJournalBytes = configuration?.Database.KeptJournalBytes ?? new StorageOptions().MaxHeldJournalBytes,
            ScrubInterval =
                configuration?.Database.Scrub.Interval is { } interval && interval > TimeSpan.Zero ? interval : null,
            ScrubBytesPerSecond =
                configuration?.Database.Scrub.BytesPerSecond ?? new StorageOptions().ScrubBytesPerSecond,
            Encryption = configuration?.Database.Encryption?.ToKey(),
        };
}
