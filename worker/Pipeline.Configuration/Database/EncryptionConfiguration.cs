using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>A block <c>encryption</c>: where the key comes from, by exactly one of its keys.</summary>
public sealed class EncryptionConfiguration
{
    /// <summary>A file; absolute after loading.</summary>
    [Setting("File that holds the key, relative to this file: 32 bytes, raw or as text in base64 or hexadecimal.")]
    public string? KeyFile { get; internal set; }

    /// <summary>An environment variable's name.</summary>
    [Setting("Name of the environment variable that holds the key as text.")]
    public string? KeyVariable { get; init; }

    /// <summary>A command.</summary>
    [Setting("Command for the system's shell that prints the key.")]
    public string? KeyCommand { get; init; }

    /// <summary>Where the key comes from, as stores take it.</summary>
    internal Storage.StorageEncryption ToKey() =>
        new()
        {
            KeyFile = KeyFile,
            KeyVariable = KeyVariable,
            KeyCommand = KeyCommand,
        };

    /// <summary>How many sources are given; one is right.</summary>
    internal int Sources => (KeyFile is null ? 0 : 1) + (KeyVariable is null ? 0 : 1) + (KeyCommand is null ? 0 : 1);
}
