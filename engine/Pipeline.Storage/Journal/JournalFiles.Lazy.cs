namespace Pipeline.Storage;

/// <content>The journal of a replica: entries are written at once and synced when something depends on them.</content>
internal sealed partial class JournalFiles
{
    private readonly Lock _syncing = new();
    private readonly List<IStorageFile> _unsynced = [];
    private long _writtenThrough;
    private long _syncedThrough;

    /// <summary>
    /// The last transaction whose entry, or a later checkpoint, is known to be durable.
    /// </summary>
    public long SyncedThrough
    {
        get => Volatile.Read(ref _syncedThrough);
        set => Volatile.Write(ref _syncedThrough, value);
    }

    /// <summary>Notes that a transaction's entry was written to a file and not synced.</summary>
    public void Wrote(IStorageFile file, long transaction)
    {
        lock (_unsynced)
        {
            if (!_unsynced.Contains(file))
                _unsynced.Add(file);
            _writtenThrough = transaction;
        }
    }

    /// <summary>Syncs all that was written. Must not run at the same time as <see cref="Recycle"/>.</summary>
    public void SyncWritten()
    {
        lock (_syncing)
        {
            IStorageFile[] files;
            long through;
            lock (_unsynced)
            {
                if (_unsynced.Count == 0)
                    return;
                files = [.. _unsynced];
                through = _writtenThrough;
                _unsynced.Clear();
            }
            foreach (var file in files)
                file.Sync();
            SyncedThrough = through;
        }
    }

    /// <summary>
    /// Takes back all reservations from a place on. No entry was or will be written for them. The files behind it have
    /// no entry and are deleted, as the journal must not have a file without one between two with entries.
    /// </summary>
    public void Rewind(JournalPlace place)
    {
        lock (_preparing)
            lock (_gate)
            {
                if (_current!.Number != place.Number)
                {
                    if (_next is not null)
                        Drop(_next);
                    _next = null;
                    foreach (var file in _live.Where(f => f.Number > place.Number).ToList())
                    {
                        _live.Remove(file);
                        Drop(file);
                    }
                    _current = _live.Single(f => f.Number == place.Number);
                }
                _offset = place.Offset;
            }
    }

    private void Drop(JournalFile file)
    {
        file.File.Dispose();
        _files.Delete(file.File.Path);
    }
}
