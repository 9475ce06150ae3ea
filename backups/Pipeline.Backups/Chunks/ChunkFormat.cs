using System.Buffers.Binary;
using System.IO.Compression;
using System.Security.Cryptography;
using Pipeline.Storage;

namespace Pipeline.Backups.Chunks;

/// <summary>
/// Turns contents into chunks and back: names, compresses and encrypts them. A chunk is "PBC1", codec (1), whether
/// encrypted (1), 0 (2), length of the content (4), then if encrypted nonce (12) and tag (16), then the content.
/// Thread-safe.
/// </summary>
public sealed class ChunkFormat : IDisposable
{
    /// <summary>The most bytes of content in a chunk.</summary>
    public const int MaxContentBytes = PageScan.MaxPartBytes;

    private const uint Magic = 0x3143_4250;
    private const int HeaderBytes = 12;
    private const int NonceBytes = 12;
    private const int TagBytes = 16;
    private const byte Plain = 0;
    private const byte ZstdCodec = 1;
    private const byte GzipCodec = 2;
    private readonly ChunkCompression _compression;
    private readonly byte[]? _idKey;
    private readonly byte[]? _dataKey;

    /// <summary>Creates a format; disposal wipes the copies of the key.</summary>
    /// <param name="compression">How new chunks are compressed; chunks of any compression can be read.</param>
    /// <param name="key">The backup's key, or empty for none.</param>
    /// <param name="repository">The repository's id, from which its keys are derived.</param>
    public ChunkFormat(ChunkCompression compression, ReadOnlySpan<byte> key, Guid repository)
    {
        _compression =
            compression is ChunkCompression.Gzip or ChunkCompression.None || Zstd.IsAvailable
                ? compression
                : ChunkCompression.Gzip;
        if (key.IsEmpty)
            return;
        Span<byte> salt = stackalloc byte[16];
        repository.TryWriteBytes(salt);
        _idKey = GC.AllocateUninitializedArray<byte>(32, pinned: true);
        _dataKey = GC.AllocateUninitializedArray<byte>(32, pinned: true);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, key, _idKey, salt, "pipeline backup names"u8);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, key, _dataKey, salt, "pipeline backup data"u8);
    }

    /// <summary>Whether chunks are encrypted.</summary>
    public bool IsEncrypted => _dataKey is not null;

    /// <summary>How new chunks are really compressed, which differs if libzstd is missing.</summary>
    public ChunkCompression Compression => _compression;

    /// <summary>The most bytes of a chunk with this much content.</summary>
    public static int MaxChunkBytes(int content) => HeaderBytes + NonceBytes + TagBytes + content;

    /// <summary>The name of a content.</summary>
    public ChunkId NameOf(ReadOnlySpan<byte> content)
    {
        Span<byte> hash = stackalloc byte[ChunkId.Length];
        if (_idKey is null)
            SHA256.HashData(content, hash);
        else
            HMACSHA256.HashData(_idKey, content, hash);
        return new ChunkId(hash);
    }

    /// <summary>Writes the chunk of a content.</summary>
    /// <param name="id">The content's name.</param>
    /// <param name="content">The content.</param>
    /// <param name="target">At least <see cref="MaxChunkBytes"/>.</param>
    /// <returns>The chunk's bytes.</returns>
    public int Encode(ChunkId id, ReadOnlySpan<byte> content, Span<byte> target)
    {
        var at = HeaderBytes + (IsEncrypted ? NonceBytes + TagBytes : 0);
        var body = target.Slice(at, content.Length);
        var codec = Compress(content, body, out var length);
        body = body[..length];
        BinaryPrimitives.WriteUInt32LittleEndian(target, Magic);
        (target[4], target[5], target[6], target[7]) = (codec, (byte)(IsEncrypted ? 1 : 0), 0, 0);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], content.Length);
        if (_dataKey is not null)
        {
            var nonce = target.Slice(HeaderBytes, NonceBytes);
            RandomNumberGenerator.Fill(nonce);
            using var cipher = new AesGcm(_dataKey, TagBytes);
            cipher.Encrypt(nonce, body, body, target.Slice(HeaderBytes + NonceBytes, TagBytes), Aad(id, target));
        }
        return at + length;
    }

    /// <summary>Reads a chunk and checks that it matches its name.</summary>
    /// <param name="destination">The chunk's destination, for messages.</param>
    /// <param name="id">Its name.</param>
    /// <param name="chunk">The chunk; decrypted in place.</param>
    /// <param name="target">At least <see cref="MaxContentBytes"/>.</param>
    /// <returns>The content's bytes.</returns>
    /// <exception cref="ChunkDamagedException">The chunk does not match its name.</exception>
    public int Decode(string destination, ChunkId id, Span<byte> chunk, Span<byte> target)
    {
        if (chunk.Length < HeaderBytes || BinaryPrimitives.ReadUInt32LittleEndian(chunk) != Magic)
        {
            throw new ChunkDamagedException(
                destination,
                id,
                chunk.Length < HeaderBytes ? $"has {chunk.Length} bytes only" : "does not have a chunk's header"
            );
        }

        var length = BinaryPrimitives.ReadInt32LittleEndian(chunk[8..]);
        var at = HeaderBytes + (chunk[5] == 1 ? NonceBytes + TagBytes : 0);
        if (length < 0 || length > target.Length || chunk.Length < at)
            throw new ChunkDamagedException(destination, id, $"says that its content has {length} bytes");
        if (chunk[5] == 1 != IsEncrypted)
        {
            throw new ChunkDamagedException(
                destination,
                id,
                IsEncrypted ? "is not encrypted, the repository is" : "is encrypted, the repository is not"
            );
        }

        var body = chunk[at..];
        if (_dataKey is not null)
        {
            using var cipher = new AesGcm(_dataKey, TagBytes);
            try
            {
                cipher.Decrypt(
                    chunk.Slice(HeaderBytes, NonceBytes),
                    body,
                    chunk.Slice(HeaderBytes + NonceBytes, TagBytes),
                    body,
                    Aad(id, chunk)
                );
            }
            catch (AuthenticationTagMismatchException)
            {
                throw new ChunkDamagedException(
                    destination,
                    id,
                    "was altered, or lies under another's name: its authentication tag does not match"
                );
            }
        }
        if (!TryDecompress(chunk[4], body, target[..length]) || NameOf(target[..length]) != id)
        {
            throw new ChunkDamagedException(
                destination,
                id,
                "was altered, or lies under another's name: its checksum does not match"
            );
        }

        return length;
    }

    /// <summary>
    /// Encrypts a small text, such as a manifest, bound to its name; returns it unchanged if the repository is not
    /// encrypted.
    /// </summary>
    internal byte[] Seal(string name, byte[] text)
    {
        if (_dataKey is null)
            return text;
        var result = new byte[NonceBytes + TagBytes + text.Length];
        RandomNumberGenerator.Fill(result.AsSpan(0, NonceBytes));
        using var cipher = new AesGcm(_dataKey, TagBytes);
        cipher.Encrypt(
            result.AsSpan(0, NonceBytes),
            text,
            result.AsSpan(NonceBytes + TagBytes),
            result.AsSpan(NonceBytes, TagBytes),
            System.Text.Encoding.UTF8.GetBytes(name)
        );
        return result;
    }

    /// <summary>Undoes <see cref="Seal"/>; null if the text was altered, or sealed under another name or key.</summary>
    internal byte[]? Open(string name, byte[] sealed_)
    {
        if (_dataKey is null)
            return sealed_;
        if (sealed_.Length < NonceBytes + TagBytes)
            return null;
        var result = new byte[sealed_.Length - NonceBytes - TagBytes];
        using var cipher = new AesGcm(_dataKey, TagBytes);
        try
        {
            cipher.Decrypt(
                sealed_.AsSpan(0, NonceBytes),
                sealed_.AsSpan(NonceBytes + TagBytes),
                sealed_.AsSpan(NonceBytes, TagBytes),
                result,
                System.Text.Encoding.UTF8.GetBytes(name)
            );
            return result;
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_idKey);
        CryptographicOperations.ZeroMemory(_dataKey);
    }

    private static byte[] Aad(ChunkId id, ReadOnlySpan<byte> header)
    {
        var aad = new byte[HeaderBytes + ChunkId.Length];
        header[..HeaderBytes].CopyTo(aad);
        id.Write(aad.AsSpan(HeaderBytes));
        return aad;
    }

    private byte Compress(ReadOnlySpan<byte> content, Span<byte> body, out int length)
    {
        switch (_compression)
        {
            case ChunkCompression.ZstdFast or ChunkCompression.Zstd or ChunkCompression.ZstdSmall:
                var level = _compression switch
                {
                    ChunkCompression.ZstdFast => 1,
                    ChunkCompression.Zstd => 3,
                    _ => 12,
                };
                if (Zstd.TryCompress(content, body, out length, level))
                    return ZstdCodec;
                break;
            case ChunkCompression.Gzip:
                if (TryGzip(content, body, out length))
                    return GzipCodec;
                break;
            default:
                break;
        }
        content.CopyTo(body);
        length = content.Length;
        return Plain;
    }

    private static bool TryGzip(ReadOnlySpan<byte> content, Span<byte> body, out int length)
    {
        using var output = new MemoryStream(body.Length);
        using (var gzip = new GZipStream(output, CompressionLevel.Optimal, leaveOpen: true))
            gzip.Write(content);
        length = (int)output.Length;
        if (length >= content.Length)
            return false;
        output.GetBuffer().AsSpan(0, length).CopyTo(body);
        return true;
    }

    private static bool TryDecompress(byte codec, ReadOnlySpan<byte> body, Span<byte> target)
    {
        switch (codec)
        {
            case ZstdCodec:
                return Zstd.TryDecompress(body, target, out var written) && written == target.Length;
            case GzipCodec:
                try
                {
                    using var gzip = new GZipStream(new MemoryStream(body.ToArray()), CompressionMode.Decompress);
                    return gzip.ReadAtLeast(target, target.Length, throwOnEndOfStream: false) == target.Length
                        && gzip.ReadByte() < 0;
                }
                catch (InvalidDataException)
                {
                    return false;
                }
            default:
                if (codec != Plain || body.Length != target.Length)
                    return false;
                body.CopyTo(target);
                return true;
        }
    }
}
