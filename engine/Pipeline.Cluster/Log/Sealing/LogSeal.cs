using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Cluster;

/// <summary>
/// Seals records with AES-256-GCM. Each process draws a salt, derives its own key from it (HKDF-SHA256), and counts its
/// nonces, so no nonce repeats under one key. The seal authenticates the header and the cluster's name. RECORDS.md
/// describes the bytes. Thread-safe.
/// </summary>
internal sealed class LogSeal : IDisposable
{
    /// <summary>The bytes that a seal adds to a record.</summary>
    public const int ExtraBytes = 56;

    /// <summary>The bytes of a user's key.</summary>
    public const int KeyBytes = 32;

    private const int IdAt = 8,
        SaltAt = 16,
        CountAt = 32,
        TagAt = 40;
    private const int SaltBytes = 16,
        TagBytes = 16,
        NonceBytes = 12;

    // Each restart of a node brings a new salt. For a salt that was evicted, the key is derived again.
    private const int MaxKeys = 64;

    private readonly Lock _gate = new();
    private readonly byte[] _key;
    private readonly byte[] _id = new byte[SaltAt - IdAt];
    private readonly byte[] _cluster;
    private readonly byte[] _salt = RandomNumberGenerator.GetBytes(SaltBytes);
    private readonly Dictionary<Int128, AesGcm> _keys = [];
    private long _count;

    /// <param name="key">The 32 bytes that all nodes have. The caller wipes them.</param>
    /// <param name="cluster">The cluster's name: records of another cluster do not open.</param>
    public LogSeal(ReadOnlySpan<byte> key, string cluster)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(key.Length, KeyBytes, nameof(key));
        _cluster = Encoding.UTF8.GetBytes(cluster);
        _key = key.ToArray();
        HKDF.Expand(HashAlgorithmName.SHA256, _key, _id, "pipeline log key id"u8);
    }

    private static ReadOnlySpan<byte> Magic => "PIPESEA1"u8;

    /// <summary>Identifies the key in messages without revealing it.</summary>
    public string KeyId => Convert.ToHexStringLower(_id);

    /// <summary>Whether bytes begin as a sealed record does.</summary>
    public static bool IsSealed(ReadOnlySpan<byte> bytes) => bytes.StartsWith(Magic);

    /// <summary>The id of the key that sealed a record; null if it is too short.</summary>
    public static string? KeyIdOf(ReadOnlySpan<byte> sealedRecord) =>
        sealedRecord.Length < ExtraBytes ? null : Convert.ToHexStringLower(sealedRecord[IdAt..SaltAt]);

    /// <summary>Seals a record.</summary>
    public byte[] Seal(ReadOnlySpan<byte> record)
    {
        var output = new byte[ExtraBytes + record.Length];
        Span<byte> header = output;
        Magic.CopyTo(header);
        _id.CopyTo(header[IdAt..]);
        _salt.CopyTo(header[SaltAt..]);
        Span<byte> nonce = stackalloc byte[NonceBytes];
        nonce.Clear();
        lock (_gate)
        {
            BinaryPrimitives.WriteInt64LittleEndian(header[CountAt..], _count++);
            header[CountAt..TagAt].CopyTo(nonce);
            KeyOf(_salt)
                .Encrypt(
                    nonce,
                    record,
                    output.AsSpan(ExtraBytes),
                    header[TagAt..ExtraBytes],
                    [.. header[..TagAt], .. _cluster]
                );
        }
        return output;
    }

    /// <summary>Opens a record that this key sealed; null if it was changed or comes from another cluster.</summary>
    public byte[]? Open(ReadOnlySpan<byte> sealedRecord)
    {
        if (sealedRecord.Length < ExtraBytes)
            return null;
        var record = new byte[sealedRecord.Length - ExtraBytes];
        Span<byte> nonce = stackalloc byte[NonceBytes];
        nonce.Clear();
        sealedRecord[CountAt..TagAt].CopyTo(nonce);
        try
        {
            lock (_gate)
            {
                KeyOf(sealedRecord[SaltAt..CountAt])
                    .Decrypt(
                        nonce,
                        sealedRecord[ExtraBytes..],
                        sealedRecord[TagAt..ExtraBytes],
                        record,
                        [.. sealedRecord[..TagAt], .. _cluster]
                    );
            }
            return record;
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
            Forget();
        CryptographicOperations.ZeroMemory(_key);
    }

    private AesGcm KeyOf(ReadOnlySpan<byte> salt)
    {
        var name = BinaryPrimitives.ReadInt128LittleEndian(salt);
        if (_keys.TryGetValue(name, out var known))
            return known;
        if (_keys.Count >= MaxKeys)
            Forget();
        Span<byte> key = stackalloc byte[KeyBytes];
        HKDF.DeriveKey(HashAlgorithmName.SHA256, _key, key, salt, "pipeline log record"u8);
        var made = _keys[name] = new AesGcm(key, TagBytes);
        CryptographicOperations.ZeroMemory(key);
        return made;
    }

    private void Forget()
    {
        foreach (var key in _keys.Values)
            key.Dispose();
        _keys.Clear();
    }
}
