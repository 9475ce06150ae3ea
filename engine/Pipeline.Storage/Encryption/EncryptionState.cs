using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>One of the store's own keys, encrypted under the user's.</summary>
internal sealed record WrappedKey(byte Generation, long Ticks, byte[] Nonce, byte[] Tag, byte[] Bytes);

/// <summary>
/// What the meta page says of encryption: the store's keys, wrapped, the newest first. There are two while pages are
/// being brought from the former to the newer one. Immutable.
/// </summary>
/// <param name="Keys">The wrapped keys.</param>
/// <param name="Openings">
/// How often the store was opened under the newest key: at least this many nonce prefixes were drawn.
/// </param>
internal sealed unsafe record EncryptionState(WrappedKey[] Keys, long Openings)
{
    /// <summary>Where it lies in a meta page.</summary>
    public const int Offset = 1024;

    /// <summary>The newest key is replaced at the opening that counts this many earlier openings.</summary>
    public const long MaxOpenings = 1 << 16;

    private const int KeysOffset = Offset + 64;
    private const int KeyBytes = 80;
    private const int MaxKeys = 2;
    private const int AesGcm256 = 1;

    /// <summary>Writes it into a meta page.</summary>
    public void Encode(byte* page)
    {
        *(int*)(page + Offset) = AesGcm256;
        *(int*)(page + Offset + 4) = Keys.Length;
        *(long*)(page + Offset + 8) = Openings;
        for (var i = 0; i < Keys.Length; i++)
        {
            var at = page + KeysOffset + (i * KeyBytes);
            *(int*)at = Keys[i].Generation;
            *(long*)(at + 8) = Keys[i].Ticks;
            Keys[i].Nonce.CopyTo(new Span<byte>(at + 16, NonceSource.Length));
            Keys[i].Tag.CopyTo(new Span<byte>(at + 28, StoreCipher.TagBytes));
            Keys[i].Bytes.CopyTo(new Span<byte>(at + 44, UserKey.Length));
        }
    }

    /// <summary>Reads it from a meta page; null where the store is plain.</summary>
    public static EncryptionState? Decode(string file, byte* page, long pageNumber)
    {
        var kind = *(int*)(page + Offset);
        if (kind == 0)
            return null;
        var count = *(int*)(page + Offset + 4);
        if (kind != AesGcm256 || count is < 1 or > MaxKeys)
        {
            throw new CorruptPageException(
                file,
                pageNumber,
                null,
                $"its encryption (kind {kind}, {count} keys) is not known"
            );
        }

        var keys = new WrappedKey[count];
        for (var i = 0; i < count; i++)
        {
            var at = page + KeysOffset + (i * KeyBytes);
            keys[i] = new WrappedKey(
                (byte)*(int*)at,
                *(long*)(at + 8),
                new Span<byte>(at + 16, NonceSource.Length).ToArray(),
                new Span<byte>(at + 28, StoreCipher.TagBytes).ToArray(),
                new Span<byte>(at + 44, UserKey.Length).ToArray()
            );
        }
        return new EncryptionState(keys, *(long*)(page + Offset + 8));
    }

    /// <summary>
    /// Wraps a key of the store under the user's. The user's key may serve several stores: each derives its own from
    /// it.
    /// </summary>
    public static WrappedKey Wrap(DataKey key, ReadOnlySpan<byte> userKey, Guid storeId, long ticks)
    {
        Span<byte> aad = stackalloc byte[17];
        using var cipher = ForWrapping(userKey, storeId, key.Generation, aad);
        var (nonce, tag, bytes) = (
            RandomNumberGenerator.GetBytes(NonceSource.Length),
            new byte[StoreCipher.TagBytes],
            new byte[UserKey.Length]
        );
        cipher.Encrypt(nonce, key.Bytes, bytes, tag, aad);
        return new WrappedKey(key.Generation, ticks, nonce, tag, bytes);
    }

    /// <summary>Unwraps a key; null where the user's key is another.</summary>
    public static DataKey? Unwrap(WrappedKey wrapped, ReadOnlySpan<byte> userKey, Guid storeId)
    {
        Span<byte> aad = stackalloc byte[17];
        using var cipher = ForWrapping(userKey, storeId, wrapped.Generation, aad);
        var bytes = GC.AllocateUninitializedArray<byte>(UserKey.Length, pinned: true);
        try
        {
            cipher.Decrypt(wrapped.Nonce, wrapped.Bytes, wrapped.Tag, bytes, aad);
            return new DataKey(wrapped.Generation, bytes);
        }
        catch (AuthenticationTagMismatchException)
        {
            return null;
        }
    }

    private static AesGcm ForWrapping(ReadOnlySpan<byte> userKey, Guid storeId, byte generation, Span<byte> aad)
    {
        storeId.TryWriteBytes(aad);
        aad[16] = generation;
        Span<byte> derived = stackalloc byte[UserKey.Length];
        try
        {
            HKDF.DeriveKey(HashAlgorithmName.SHA256, userKey, derived, aad[..16], "pipeline store key"u8);
            return new AesGcm(derived, StoreCipher.TagBytes);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(derived);
        }
    }
}
