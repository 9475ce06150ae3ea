using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Storage;

namespace Pipeline.Backups.Manifests;

/// <summary>The backups of one name at one destination: chunks, and manifests that list them. Thread-safe.</summary>
public sealed class BackupRepository : IAsyncDisposable
{
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
        WriteIndented = true,
    };
    private static readonly byte[] Check = "pipeline backups"u8.ToArray();

    private BackupRepository(IBackupDestination destination, Guid id, ChunkFormat format) =>
        (Destination, Id, Format) = (destination, id, format);

    /// <summary>The destination.</summary>
    public IBackupDestination Destination { get; }

    /// <summary>The repository's id, from which its keys are derived.</summary>
    public Guid Id { get; }

    /// <summary>The format of its chunks.</summary>
    public ChunkFormat Format { get; }

    /// <summary>Opens the repository, and creates it if it is missing and <paramref name="create"/> is true.</summary>
    /// <param name="destination">The destination, which the repository then owns.</param>
    /// <param name="compression">How new chunks are compressed.</param>
    /// <param name="encryption">The source of the key; null for no encryption.</param>
    /// <param name="create">Whether to create a missing repository; otherwise the result is null.</param>
    /// <param name="ct">Cancels it.</param>
    /// <exception cref="BackupException">
    /// The format is newer, or the key is wrong. Or the repository is encrypted and there is no key, or the reverse.
    /// </exception>
    public static async Task<BackupRepository?> OpenAsync(
        IBackupDestination destination,
        ChunkCompression compression,
        StorageEncryption? encryption,
        bool create,
        CancellationToken ct
    )
    {
        ArgumentNullException.ThrowIfNull(destination);
        var key = encryption?.ReadKey();
        try
        {
            var known = await destination.GetAsync(ObjectNames.Repository, ct).ConfigureAwait(false);
            if (known is null)
            {
                if (!create)
                    return null;
                var id = Guid.NewGuid();
                using var format = new ChunkFormat(compression, key, id);
                known = JsonSerializer.SerializeToUtf8Bytes(
                    new Header(
                        BackupManifest.FormatOfOneStore,
                        id,
                        format.IsEncrypted,
                        format.Seal(ObjectNames.Repository, Check)
                    ),
                    Json
                );
                await destination.PutAsync(ObjectNames.Repository, known, ct).ConfigureAwait(false);
            }
            var header = Parse<Header>(destination, ObjectNames.Repository, known);
            if (header.Format > BackupManifest.FormatOfOneStore)
            {
                throw new BackupException(
                    $"{destination.Description}: its backups have format {header.Format}, but this program supports {BackupManifest.FormatOfOneStore}. Use a newer program."
                );
            }

            if (header.Encrypted != key is not null)
            {
                throw new BackupException(
                    header.Encrypted
                        ? $"{destination.Description}: the backups there are encrypted, and no key is given. Name its source under 'encryption'."
                        : $"{destination.Description}: the backups there are not encrypted, and a key is given. Leave 'encryption' out, or name another destination."
                );
            }
            var opened = new BackupRepository(destination, header.Id, new ChunkFormat(compression, key, header.Id));
            if (
                opened.Format.Open(ObjectNames.Repository, header.Check) is { } check
                && check.AsSpan().SequenceEqual(Check)
            )
            {
                return opened;
            }

            opened.Format.Dispose();
            throw new BackupException(
                $"{destination.Description}: the backups there are encrypted under another key. Give the one that they were made with."
            );
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>Lists all backups, oldest first.</summary>
    /// <param name="damaged">Receives an error for each manifest that cannot be read.</param>
    /// <param name="ct">Cancels it.</param>
    public async Task<IReadOnlyList<BackupManifest>> ListAsync(
        Action<ManifestDamagedException> damaged,
        CancellationToken ct
    )
    {
        ArgumentNullException.ThrowIfNull(damaged);
        var found = new List<BackupManifest>();
        await foreach (var entry in Destination.ListAsync(ObjectNames.Manifests, ct).ConfigureAwait(false))
        {
            if (ObjectNames.ManifestOf(entry.Name) is not { } id)
                continue;
            try
            {
                if (await FindAsync(id, ct).ConfigureAwait(false) is { } manifest)
                    found.Add(manifest);
            }
            catch (ManifestDamagedException e)
            {
                damaged(e);
            }
        }
        return [.. found.OrderBy(m => m.Ended).ThenBy(m => m.To.Transaction).ThenBy(m => m.Id, StringComparer.Ordinal)];
    }

    /// <summary>Finds a backup by id; null if it does not exist.</summary>
    /// <exception cref="ManifestDamagedException">Its manifest cannot be read.</exception>
    public async Task<BackupManifest?> FindAsync(string id, CancellationToken ct)
    {
        var name = ObjectNames.Manifest(id);
        if (await Destination.GetAsync(name, ct).ConfigureAwait(false) is not { } bytes)
            return null;
        var text =
            Format.Open(name, bytes)
            ?? throw new ManifestDamagedException(
                Destination.Description,
                name,
                "was altered, or lies under another's name: its authentication tag does not match"
            );
        var envelope = Parse<Envelope>(Destination, name, text);
        var manifest =
            envelope.Manifest.ValueKind == JsonValueKind.Object
            && envelope.Sha256 == Hash(envelope.Manifest.GetRawText())
                ? Parse<BackupManifest>(
                    Destination,
                    name,
                    System.Text.Encoding.UTF8.GetBytes(envelope.Manifest.GetRawText())
                )
                : throw new ManifestDamagedException(
                    Destination.Description,
                    name,
                    "is damaged: its checksum does not match"
                );
        if (manifest.Format > BackupManifest.CurrentFormat)
        {
            throw new ManifestDamagedException(
                Destination.Description,
                name,
                $"has format {manifest.Format}, but this program supports {BackupManifest.CurrentFormat}"
            );
        }

        return manifest.Id == id
            ? manifest
            : throw new ManifestDamagedException(
                Destination.Description,
                name,
                $"is the manifest of {manifest.Id}, misplaced"
            );
    }

    /// <summary>Writes a manifest: from here on the backup exists.</summary>
    public Task PutAsync(BackupManifest manifest, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(manifest);
        var text = JsonSerializer.Serialize(manifest, Json);
        using var parsed = JsonDocument.Parse(text);
        var name = ObjectNames.Manifest(manifest.Id);
        var raw = $"{{\"sha256\":\"{Hash(parsed.RootElement.GetRawText())}\",\"manifest\":{text}}}";
        return Destination.PutAsync(name, Format.Seal(name, System.Text.Encoding.UTF8.GetBytes(raw)), ct);
    }

    /// <summary>The result of the last verification of each backup.</summary>
    public async Task<IReadOnlyDictionary<string, Verification>> VerificationsAsync(CancellationToken ct)
    {
        var found = new Dictionary<string, Verification>(StringComparer.Ordinal);
        await foreach (var entry in Destination.ListAsync(ObjectNames.Verifications, ct).ConfigureAwait(false))
        {
            if (
                await Destination.GetAsync(entry.Name, ct).ConfigureAwait(false) is { } bytes
                && Format.Open(entry.Name, bytes) is { } text
            )
            {
                var verification = Parse<Verification>(Destination, entry.Name, text);
                found[verification.Backup] = verification;
            }
        }
        return found;
    }

    /// <summary>Stores the result of a verification.</summary>
    public Task PutAsync(Verification verification, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(verification);
        var name = ObjectNames.Verification(verification.Backup);
        return Destination.PutAsync(
            name,
            Format.Seal(name, JsonSerializer.SerializeToUtf8Bytes(verification, Json)),
            ct
        );
    }

    /// <summary>Reads a chunk's content; the caller owns the array.</summary>
    /// <exception cref="BackupException">It is missing or damaged.</exception>
    public async Task<byte[]> ReadChunkAsync(ChunkId id, CancellationToken ct)
    {
        var chunk =
            await Destination.GetAsync(ObjectNames.Chunk(id), ct).ConfigureAwait(false)
            ?? throw new ChunkDamagedException(Destination.Description, id, "is missing");
        var buffer = System.Buffers.ArrayPool<byte>.Shared.Rent(ChunkFormat.MaxContentBytes);
        try
        {
            return buffer[..Format.Decode(Destination.Description, id, chunk, buffer)];
        }
        finally
        {
            System.Buffers.ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Format.Dispose();
        return Destination.DisposeAsync();
    }

    private static string Hash(string text) =>
        Convert.ToHexStringLower(SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(text)));

    private static T Parse<T>(IBackupDestination destination, string name, byte[] text)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(text, Json)
                ?? throw new ManifestDamagedException(destination.Description, name, "is empty");
        }
        catch (JsonException e)
        {
            throw new ManifestDamagedException(destination.Description, name, $"is damaged ({e.Message.TrimEnd('.')})");
        }
    }

    private sealed record Header(int Format, Guid Id, bool Encrypted, byte[] Check);

    private sealed record Envelope(string Sha256, JsonElement Manifest);
}
