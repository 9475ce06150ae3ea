namespace Pipeline.Storage;

/// <summary>
/// Encryption at rest, and where the user's key comes from: exactly one of the four sources. The key has 32 bytes,
/// given raw (file, command or
/// <see cref="Key"/>) or as text in base64 or hexadecimal. It is read once at opening; the data is encrypted with keys
/// of the store's own, which this one wraps.
/// </summary>
public sealed record StorageEncryption
{
    /// <summary>A file that holds the key and nothing else.</summary>
    public string? KeyFile { get; init; }

    /// <summary>An environment variable that holds the key as text.</summary>
    public string? KeyVariable { get; init; }

    /// <summary>A command for the system's shell that prints the key, within 30 s and with exit code 0.</summary>
    public string? KeyCommand { get; init; }

    /// <summary>The key's 32 bytes, for callers that have it in memory.</summary>
    public ReadOnlyMemory<byte>? Key { get; init; }

    /// <summary>
    /// The most memory for decrypted pages that transactions share. What open transactions have touched beyond that
    /// they hold themselves. Default 256 MiB.
    /// </summary>
    public long MaxPlainBytes { get; init; } = 256L << 20;

    /// <summary>Where the key comes from, for messages; never the key.</summary>
    internal string Source =>
        KeyFile is not null ? $"the file {KeyFile}"
        : KeyVariable is not null ? $"the environment variable {KeyVariable}"
        : KeyCommand is not null ? "the key command"
        : "the given bytes";

    /// <summary>Reads the key's 32 bytes from their source; the caller wipes them.</summary>
    /// <exception cref="InvalidKeyException">There is none, or not a valid one.</exception>
    public byte[] ReadKey() => UserKey.Read(this);

    /// <summary>Names the source and limits; no key.</summary>
    public override string ToString() => $"StorageEncryption {{ {Source} }}";
}
