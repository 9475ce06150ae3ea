namespace Pipeline.Storage;

/// <summary>The place that was reserved for an entry.</summary>
internal readonly record struct JournalPlace(IStorageFile File, long Number, long Offset);

/// <summary>
/// The journal's files: the current one, one prepared to follow it, those that recovery still needs, and spare ones to
/// be used again. Files are preallocated and written with zeros beforehand, since a sync after an overwrite costs a
/// fraction of one after growth. Thread-safe: the committing thread reserves, the flush recycles, a pool thread
/// prepares.
/// </summary>
internal sealed partial class JournalFiles : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Lock _preparing = new();
    private readonly IStorageFiles _files;
    private readonly string _directory;
    private readonly Guid _storeId;

    /// <summary>The store's folder, noted in each file.</summary>
    private readonly string _folder;
    private readonly StorageOptions _options;
    private readonly Action<Exception> _prepareFailed;
    private readonly List<JournalFile> _live = [];
    private readonly List<(string Path, long Length)> _spares = [];
    private JournalFile? _current;
    private JournalFile? _next;
    private bool _prepareQueued;
    private bool _prepareNow;
    private bool _closing;
    private long _offset;
    private long _nextSize;
    private long _currentSince;

    private sealed record JournalFile(IStorageFile File, long Number)
    {
        public long Capacity { get; set; } = File.Length;
    }

    public JournalFiles(
        IStorageFiles files,
        string directory,
        Guid storeId,
        StorageOptions options,
        Action<Exception> prepareFailed
    )
    {
        (_files, _directory, _storeId, _options, _prepareFailed) = (files, directory, storeId, options, prepareFailed);
        _folder = options.Path is null ? "" : Path.GetFullPath(options.Path);
        _holds = new LogHolds(files, directory, storeId);
        _nextSize = JournalLayout.Align(Math.Max(options.InitialJournalFileBytes, 4 * JournalLayout.Block));
    }

    /// <summary>Adds files to be used again; a durable checkpoint lies behind all they hold.</summary>
    public void AddSpares(IEnumerable<string> paths)
    {
        lock (_gate)
        {
            foreach (var path in HoldBack(paths))
            {
                long length;
                using (var file = _files.Open(path, create: false))
                    length = file.Length;
                if (_spares.Sum(s => s.Length) + length <= 2 * _options.FlushJournalBytes)
                    _spares.Add((path, length));
                else
                    _files.Delete(path);
            }
        }
    }

    /// <summary>The folder.</summary>
    public string Directory => _directory;

    /// <summary>Bytes of the next file to be made.</summary>
    public long NextFileBytes
    {
        get
        {
            lock (_gate)
                return _nextSize;
        }
    }

    /// <summary>
    /// Opens a new file with the number and makes it the current one; returns where its first entry goes.
    /// </summary>
    public JournalPosition Start(long number, uint chain)
    {
        lock (_gate)
        {
            var file = Prepare(number, _nextSize, writeAhead: true);
            try
            {
                Enter(file);
            }
            catch
            {
                file.File.Dispose();
                throw;
            }
        }
        return new JournalPosition(number, JournalLayout.Block, chain);
    }

    /// <summary>Reserves the place for an entry, in the next file where the current one has no room for it.</summary>
    /// <exception cref="DiskFullException">There is no room for another file; nothing was changed.</exception>
    public JournalPlace Reserve(long length)
    {
        if (_prepareNow)
        {
            _prepareNow = false;
            PrepareNext();
        }
        lock (_gate)
        {
            if (_offset + length <= _current!.Capacity)
                return Place(length);
        }
        // A preparation that is under way is waited for: it makes the very file that is needed.
        lock (_preparing)
        {
            lock (_gate)
            {
                Switch(length);
                return Place(length);
            }
        }
    }

    /// <summary>Takes back the last reservation, whose entry was not and will not be written.</summary>
    public void Unreserve(JournalPlace place)
    {
        lock (_gate)
        {
            if (_current!.Number == place.Number)
                _offset = place.Offset;
        }
    }

    /// <summary>Frees the files before the one at which the journal continues from a durable checkpoint.</summary>
    public void Recycle(JournalPosition checkpoint)
    {
        List<string> surplus = [];
        lock (_gate)
        {
            var firstHeld = FirstHeld;
            foreach (var file in _live.Where(f => f.Number < checkpoint.File && f != _current).ToList())
            {
                _live.Remove(file);
                file.File.Dispose();
                if (file.Number >= firstHeld)
                    _held[file.Number] = (file.File.Path, file.Capacity);
                else
                    Spare(file.File.Path, file.Capacity, surplus);
            }
        }
        surplus.ForEach(TryDelete);
        EnforceHeldLimit();
    }

    /// <summary>Gives the space of one spare file back: the load that needed it is over.</summary>
    public void Shrink()
    {
        lock (_gate)
        {
            if (_spares.Count == 0)
                return;
            TryDelete(_spares[^1].Path);
            _spares.RemoveAt(_spares.Count - 1);
            _nextSize = Math.Max(JournalLayout.Align(_options.InitialJournalFileBytes), _nextSize / 2);
        }
    }

    /// <summary>
    /// Deletes all spare files and truncates the current one to its header, or to its entries if they are held. For a
    /// clean close, when both meta pages are behind all entries.
    /// </summary>
    public void DeleteUnneeded()
    {
        lock (_preparing)
            lock (_gate)
            {
                _closing = true;
                if (_next is not null)
                {
                    _next.File.Dispose();
                    _spares.Add((_next.File.Path, _next.Capacity));
                    _next = null;
                }
                foreach (var (path, _) in _spares)
                    _files.Delete(path);
                _spares.Clear();
                _current?.File.Truncate(_current.Number >= FirstHeld ? _offset : JournalLayout.Block);
            }
    }

    public void Dispose()
    {
        lock (_preparing)
        {
            lock (_gate)
            {
                foreach (var file in _live)
                    file.File.Dispose();
                _live.Clear();
                _next?.File.Dispose();
                _next = null;
            }
        }
    }

    /// <summary>
    /// Deletes a file that nothing needs; one that stays costs space and is found again at the next opening.
    /// </summary>
    private void TryDelete(string path)
    {
        try
        {
            _files.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _prepareFailed(e);
        }
    }

    private JournalPlace Place(long length)
    {
        var place = new JournalPlace(_current!.File, _current.Number, _offset);
        if (_next is null && !_prepareQueued && _offset + length > _current.Capacity / 4)
        {
            if (_options.Deterministic)
                _prepareNow = true;
            else
                ThreadPool.UnsafeQueueUserWorkItem(static me => me.PrepareNext(), this, preferLocal: false);
            _prepareQueued = true;
        }
        _offset += length; // Last, so that an error leaves no gap.
        return place;
    }

    private void Switch(long length)
    {
        var needed = length + JournalLayout.Block;
        if (_next is null)
        {
            // Nobody prepared one in time: room is reserved, but not written ahead, so that the commit waits less.
            AdaptSize();
            _next = Prepare(_current!.Number + 1, Math.Max(_nextSize, needed), writeAhead: false);
        }
        if (_next.Capacity < needed)
        {
            _next.File.Allocate(needed);
            _next.Capacity = _next.File.Length;
        }
        Enter(_next);
        _next = null;
    }

    private void Enter(JournalFile file)
    {
        StepHook.At(StorageStep.FileSwitch);
        _currentSince = _options.TimeProvider.GetTimestamp();
        _live.Add(file);
        _current = file;
        _offset = JournalLayout.Block;
    }
}
