using Pipeline.Etl.Configuration;
using Pipeline.Storage;

namespace Pipeline.Worker.Hosting;

/// <summary>What a configuration says of the storage.</summary>
internal static class StorageSettings
{
    /// <summary>The options; the defaults where there is no configuration.</summary>
    public static StorageOptions Of(PipelineConfiguration? configuration) => new()
    {
        ScrubInterval = configuration?.Database.Scrub.Interval is { } interval && interval > TimeSpan.Zero ? interval : null,
        ScrubBytesPerSecond = configuration?.Database.Scrub.BytesPerSecond ?? new StorageOptions().ScrubBytesPerSecond,
        Encryption = configuration?.Database.Encryption is not { } encryption ? null : new StorageEncryption
        {
            KeyFile = encryption.KeyFile, KeyVariable = encryption.KeyVariable, KeyCommand = encryption.KeyCommand,
        },
    };
}
