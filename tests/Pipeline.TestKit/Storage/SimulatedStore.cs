using Pipeline.Storage;

namespace Pipeline.TestKit.Storage;

/// <summary>
/// How a store is opened on a <see cref="SimulatedDisk"/>: small files that grow in small steps, and nothing that
/// depends on time.
/// </summary>
public static class SimulatedStore
{
    /// <summary>Its folder.</summary>
    public const string Folder = "/store";

    /// <summary>The key of encrypted ones.</summary>
    public static StorageEncryption Key { get; } =
        new() { Key = Enumerable.Range(1, 32).Select(i => (byte)i).ToArray(), MaxPlainBytes = 1 << 20 };

    /// <summary>The options.</summary>
    public static StorageOptions Options(SimulatedDisk disk, bool encrypted = false) =>
        new()
        {
            Encryption = encrypted ? Key : null,
            Path = Folder,
            Files = disk,
            Deterministic = true,
            InitialDataFileBytes = 64 << 10,
            MaxGrowthBytes = 256 << 10,
            InitialJournalFileBytes = 64 << 10,
            MaxJournalFileBytes = 128 << 10,
            MaxDataFileBytes = 64 << 20,
            FlushInterval = TimeSpan.FromHours(10),
            MaxUnflushedJournalAge = TimeSpan.FromHours(10),
            JournalCompression = JournalCompression.On,
            MaxReaders = 16,
        };
}
