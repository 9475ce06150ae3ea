namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>
    /// Puts the store's keys under a new key of the user; the former one is of no more use when this returns. The data
    /// is not touched. From then on the store opens with the new key; after a crash within this call, with one of the
    /// two.
    /// </summary>
    /// <exception cref="InvalidKeyException">The source gives no key; nothing was changed.</exception>
    /// <exception cref="EncryptionMismatchException">The store is plain.</exception>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    public void ChangeKey(StorageEncryption encryption)
    {
        ArgumentNullException.ThrowIfNull(encryption);
        Rotation().ChangeUserKey(encryption);
    }

    /// <summary>
    /// Makes a new data key and brings all pages under it, while the store is in use; completes when the former key is
    /// destroyed, which waits for readers older than the last of these pages. After a stop by the token, a crash or
    /// closing, the next opening resumes it.
    /// </summary>
    /// <exception cref="EncryptionMismatchException">The store is plain.</exception>
    /// <exception cref="WrongKeyException">The source of the user's key has another one by now.</exception>
    /// <exception cref="StorageException">As for writes and flushes.</exception>
    public Task RotateDataKeyAsync(CancellationToken ct = default) => Rotation().RunAsync(ct);

    private KeyRotation Rotation()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _rotation ?? throw new EncryptionMismatchException(_store.Data.Path, isEncrypted: false);
    }
}
