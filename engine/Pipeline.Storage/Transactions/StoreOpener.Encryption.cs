namespace Pipeline.Storage;

internal sealed unsafe partial class StoreOpener
{
    // A cipher takes at most 2 GiB at once, and an entry can be a little longer than the pages it is about.
    private const long MaxEncryptedTransaction = 3L << 29;

    private void CheckEncryptionLimits()
    {
        if (
            options.Encryption is { } encryption
            && (options.MaxTransactionBytes > MaxEncryptedTransaction || encryption.MaxPlainBytes < 0)
        )
        {
            throw new ArgumentException(
                $"An encrypted store needs StorageOptions.MaxTransactionBytes of at most {MaxEncryptedTransaction:N0} (it is {options.MaxTransactionBytes:N0}) and StorageEncryption.MaxPlainBytes of at least 0."
            );
        }
    }

    /// <summary>Unwraps the store's keys; null if it is not encrypted.</summary>
    /// <exception cref="EncryptionMismatchException">
    /// There is a key and the store is plain, or the other way round.
    /// </exception>
    /// <exception cref="WrongKeyException">The store has a different key.</exception>
    public static StoreCipher? OpenCipher(
        string dataPath,
        MetaPage meta,
        StorageEncryption? encryption,
        byte[]? userKey
    )
    {
        if ((meta.Encryption is null) != (userKey is null))
            throw new EncryptionMismatchException(dataPath, meta.Encryption is not null);
        if (meta.Encryption is null)
            return null;
        var keys = new List<DataKey>();
        foreach (var wrapped in meta.Encryption.Keys)
        {
            if (EncryptionState.Unwrap(wrapped, userKey, meta.StoreId) is { } key)
            {
                keys.Add(key);
                continue;
            }
            keys.ForEach(k => k.Dispose());
            throw new WrongKeyException(dataPath, encryption!.Source);
        }
        return new StoreCipher(meta.StoreId, [.. keys]);
    }

    private static void EncryptInPlace(byte* map, Guid storeId, DataKey key)
    {
        var output = stackalloc byte[PageLayout.PageSize];
        // Not disposed: the key is the caller's.
        new StoreCipher(storeId, [key]).EncryptPage(map, PageLayout.AllocationPageInGroup, 1, output);
        new ReadOnlySpan<byte>(output, PageLayout.PageSize).CopyTo(new Span<byte>(map, PageLayout.PageSize));
    }
}
