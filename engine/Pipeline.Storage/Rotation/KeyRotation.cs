using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// Changes keys while the store is in use. The user's key only wraps the store's keys: a new one costs two writes of
/// meta pages. A new data key is first made durable along with the old one. Ordinary transactions and flushes then
/// rewrite all pages, and the old key is dropped. A crash at any moment leaves meta pages whose keys open everything;
/// the next opening resumes the rotation.
/// </summary>
internal sealed class KeyRotation(StoreContext store, Flusher flusher, Committer committer) : IDisposable
{
    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(50);
    private readonly SemaphoreSlim _one = new(1);
    private readonly CancellationTokenSource _closing = new();
    private StorageEncryption _options = store.Options.Encryption!;

    /// <summary>Whether a change of the data key was begun before, or is due.</summary>
    public bool IsDue =>
        store.Checkpoint.Encryption is { } e && (e.Keys.Length > 1 || e.Openings >= EncryptionState.MaxOpenings);

    /// <summary>Wraps the store's keys under a new key of the user.</summary>
    public void ChangeUserKey(StorageEncryption encryption)
    {
        var key = UserKey.Read(encryption);
        try
        {
            var ticks = store.Options.TimeProvider.GetUtcNow().UtcTicks;
            flusher.ChangeEncryption(
                e =>
                    e with
                    {
                        Keys =
                        [
                            .. store.Cipher!.Keys.Select(k =>
                                EncryptionState.Wrap(k, key, store.Checkpoint.StoreId, ticks)
                            ),
                        ],
                    },
                () => _options = encryption
            );
            StorageLog.Rewrapped(store.Logger, store.Name);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>
    /// Makes a new data key, or resumes the rotation in progress, until no page is under the old key.
    /// </summary>
    public async Task RunAsync(CancellationToken ct)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(ct, _closing.Token);
        if (committer.Role == StorageRole.Follower)
            throw new NotLeaderException(store.Name); // Before there is a second key that nobody would use.
        await _one.WaitAsync(both.Token).ConfigureAwait(false);
        try
        {
            if (store.Checkpoint.Encryption!.Keys.Length == 1)
                Begin();
            var generation = store.Cipher!.Generation;
            StorageLog.RotationBegun(store.Logger, store.Name, generation);
            long copied;
            do
            {
                copied = await PassAsync(generation, both.Token).ConfigureAwait(false);
                await FlushAllAsync(both.Token).ConfigureAwait(false);
            } while (copied > 0);
            flusher.ChangeEncryption(
                e => e with { Keys = [e.Keys[0]] },
                () => store.Cipher.Use([store.Cipher.Keys[0]])
            );
            StorageLog.RotationEnded(store.Logger, store.Name, generation);
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Resumes, in the background, a rotation that is in progress or due.</summary>
    public void Resume() =>
        _ = Task.Run(async () =>
        {
            try
            {
                await RunAsync(CancellationToken.None).ConfigureAwait(false);
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                // Closing; the next opening resumes.
            }
            catch (StorageException e)
            {
                StorageLog.RotationFailed(store.Logger, store.Name, e);
            }
        });

    /// <summary>Stops a running rotation and waits for it.</summary>
    public void Stop()
    {
        _closing.Cancel();
        _one.Wait();
    }

    public void Dispose() => _closing.Dispose();

    private void Begin()
    {
        var userKey = UserKey.Read(_options);
        try
        {
            var checkpoint = store.Checkpoint;
            var current = store.Cipher!.Keys[0];
            using (var again = EncryptionState.Unwrap(checkpoint.Encryption!.Keys[0], userKey, checkpoint.StoreId))
            {
                if (again is null)
                    throw new WrongKeyException(store.Data.Path, _options.Source);
            }
            var key = DataKey.New((byte)((current.Generation % byte.MaxValue) + 1));
            var wrapped = EncryptionState.Wrap(
                key,
                userKey,
                checkpoint.StoreId,
                store.Options.TimeProvider.GetUtcNow().UtcTicks
            );
            flusher.ChangeEncryption(
                e => new EncryptionState([wrapped, e.Keys[0]], 1),
                () => store.Cipher.Use([key, current])
            );
        }
        finally
        {
            CryptographicOperations.ZeroMemory(userKey);
        }
    }

    private async Task<long> PassAsync(byte generation, CancellationToken ct)
    {
        var copied = 0L;
        for (var position = TreePageWalk.Start; position is not null; )
        {
            var from = position;
            (position, var bytes) = await committer
                .EnqueueAsync(t => TreePageWalk.Step(t, from, generation), ct)
                .ConfigureAwait(false);
            copied += bytes;
        }
        return copied;
    }

    /// <summary>
    /// Waits until the checkpoint is behind everything that was committed at the call, under whichever key, and no
    /// reader is older. An older reader could still need former contents of pages.
    /// </summary>
    private async Task FlushAllAsync(CancellationToken ct)
    {
        await committer.EnqueueAsync(static _ => true, ct).ConfigureAwait(false);
        var last = Volatile.Read(ref store.Published).TransactionId;
        while (store.Checkpoint.State.TransactionId < last || store.Readers.OldestSnapshot(last) < last)
        {
            ct.ThrowIfCancellationRequested();
            if (flusher.FlushOnce() != FlushOutcome.Done)
                await Task.Delay(Wait, store.Options.TimeProvider, ct).ConfigureAwait(false);
        }
    }
}
