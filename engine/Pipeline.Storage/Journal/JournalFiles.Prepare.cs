namespace Pipeline.Storage;

internal sealed partial class JournalFiles
{
    private const int WriteAheadBytes = 256 << 10;
    private static readonly byte[] Zeros = new byte[WriteAheadBytes];

    private void AdaptSize()
    {
        var filledIn = _options.TimeProvider.GetElapsedTime(_currentSince);
        if (filledIn < TimeSpan.FromSeconds(1))
            _nextSize = Math.Min(_nextSize * 2, JournalLayout.Align(_options.MaxJournalFileBytes));
        else if (filledIn > TimeSpan.FromSeconds(30))
            _nextSize = Math.Max(_nextSize / 2, JournalLayout.Align(_options.InitialJournalFileBytes));
    }

    private void PrepareNext()
    {
        lock (_preparing)
        {
            long number,
                size;
            lock (_gate)
            {
                if (_closing || _live.Count == 0 || _next is not null)
                {
                    _prepareQueued = false;
                    return;
                }
                AdaptSize();
                (number, size) = (_current!.Number + 1, _nextSize);
            }
            JournalFile? prepared = null;
            try
            {
                prepared = Prepare(number, size, writeAhead: true);
            }
#pragma warning disable CA1031 // On a thread of the pool, where no caller would see it.
            catch (Exception e)
#pragma warning restore CA1031
            {
                // The commit that needs the file hits the error again and can report it.
                _prepareFailed(e);
            }
            lock (_gate)
            {
                _prepareQueued = false;
                if (prepared is null)
                    return;
                if (_next is null && _current!.Number + 1 == number)
                    _next = prepared;
                else
                    prepared.File.Dispose();
            }
        }
    }

    /// <summary>
    /// Prepares a durable file with this number for entries; a spare file of fitting size is reused if there is one. A
    /// spare file gets its new header before its new name; entries of its former use name another number and are
    /// ignored.
    /// </summary>
    private JournalFile Prepare(long number, long size, bool writeAhead)
    {
        var path = JournalLayout.PathOf(_directory, number);
        (string Path, long Length) spare;
        lock (_gate)
        {
            spare = _spares.Find(s =>
                s.Length >= size && s.Length <= Math.Max(size * 4, 2 * _options.InitialJournalFileBytes)
            );
            if (spare.Path is not null)
                _spares.Remove(spare);
        }
        if (spare.Path is not null)
        {
            using (var old = _files.Open(spare.Path, create: false))
            {
                CheckOwner(old);
                JournalFileHeader.Write(old, _storeId, number, _folder);
                old.Sync();
            }
            if (spare.Path != path)
            {
                CheckPlace(path);
                _files.Move(spare.Path, path);
            }
            SyncName();
            return new JournalFile(_files.Open(path, create: false), number);
        }
        return Create(path, number, size, writeAhead);
    }

    private JournalFile Create(string path, long number, long size, bool writeAhead)
    {
        CheckPlace(path);
        _files.Delete(path);
        var file = _files.Open(path, create: true);
        try
        {
            file.Allocate(size);
            if (writeAhead)
            {
                // In small parts, each synced: a commit's sync waits behind what the disk has to do, and that is one
                // part at most.
                for (var at = 0L; at < size; at += WriteAheadBytes)
                {
                    file.Write(at, Zeros.AsSpan(0, (int)Math.Min(WriteAheadBytes, size - at)));
                    file.Sync();
                }
            }
            JournalFileHeader.Write(file, _storeId, number, _folder);
            file.Sync();
            SyncName();
            return new JournalFile(file, number);
        }
        catch
        {
            file.Dispose();
            _files.Delete(path);
            throw;
        }
    }

    private void SyncName()
    {
        if ((_options.Faults & StorageFaults.JournalNameUnsynced) == 0)
            _files.SyncDirectory(_directory);
    }

    /// <summary>Makes sure that no other store's file is in the place of a new one.</summary>
    private void CheckPlace(string path)
    {
        if (!_files.Exists(path))
            return;
        using var file = _files.Open(path, create: false);
        CheckOwner(file);
    }

    private void CheckOwner(IStorageFile file)
    {
        if ((_options.Faults & StorageFaults.TakeForeignJournal) == 0)
            JournalOwnership.Check(file, _storeId);
    }
}
