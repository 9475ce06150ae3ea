namespace Pipeline.Storage;

internal sealed unsafe partial class Flusher
{
    /// <summary>
    /// Writes the encryption state into both meta slots, each synced, with an unchanged checkpoint. Then runs the step
    /// that relies on it, before any flush.
    /// </summary>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    public void ChangeEncryption(Func<EncryptionState, EncryptionState> change, Action then)
    {
        lock (_flushing)
        {
            if (_store.Failure is { } failure)
                throw failure;
            ObjectDisposedException.ThrowIf(_closed, this);
            var encryption = change(_store.Checkpoint.Encryption!);
            for (var slot = 0; slot < 2; slot++)
            {
                var meta = _store.Checkpoint with
                {
                    Sequence = _store.Checkpoint.Sequence + 1,
                    Encryption = encryption,
                };
                var step = "meta write";
                try
                {
                    _store.Data.WriteMeta(meta);
                    step = "meta sync";
                    _store.Data.Sync();
                }
                catch (Exception e)
                {
                    // As for a checkpoint.
                    throw _store.Fail(_store.Data.Path, step, e);
                }
                _store.Checkpoint = meta;
            }
            then();
        }
    }

    private void TrimCopies(bool all)
    {
        try
        {
            _store.Data.TrimCopies(all);
        }
        catch (IOException e)
        {
            // Only space is lost.
            StorageLog.PrepareFailed(_store.Logger, _store.Name, e);
        }
    }
}
