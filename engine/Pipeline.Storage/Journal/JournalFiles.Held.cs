namespace Pipeline.Storage;

internal sealed partial class JournalFiles
{
    /// <summary>Files before the current ones that some holder needs: number, path, length.</summary>
    private readonly SortedDictionary<long, (string Path, long Length)> _held = [];
    private readonly LogHolds _holds;

    /// <summary>The first journal file to keep while a hold on the current position is being made.</summary>
    private long _holding = long.MaxValue;

    /// <summary>The holders for which entries are kept.</summary>
    public IReadOnlyList<LogHold> Holds => _holds.All;

    /// <summary>Bytes of files that are kept for them alone.</summary>
    public long HeldBytes
    {
        get
        {
            lock (_gate)
                return _held.Values.Sum(h => h.Length);
        }
    }

    /// <summary>Keeps all entries behind a position, which is read once no file can be released.</summary>
    public LogPosition Hold(string name, Func<LogPosition> now)
    {
        lock (_gate)
            _holding = _live[0].Number;
        try
        {
            var position = now();
            _holds.Set(name, position);
            return position;
        }
        finally
        {
            lock (_gate)
                _holding = long.MaxValue;
            ReleaseUnneeded();
        }
    }

    /// <summary>Keeps all entries behind a position. All of them must still exist.</summary>
    /// <exception cref="LogUnavailableException">An entry no longer exists.</exception>
    public void Hold(string name, LogPosition position)
    {
        lock (_gate)
        {
            if (!_held.ContainsKey(position.File) && !_live.Exists(f => f.Number == position.File))
            {
                throw new LogUnavailableException(
                    _directory,
                    position.Transaction + 1,
                    $"its file {position.File:x16} no longer exists"
                );
            }
        }
        _holds.Set(name, position);
        ReleaseUnneeded();
    }

    /// <summary>Releases a holder's entries; false if there was no such hold.</summary>
    public bool Release(string name)
    {
        var known = _holds.Set(name, null);
        ReleaseUnneeded();
        return known;
    }

    /// <summary>Hands the entries behind a position, up to a transaction that is durable, to the handler.</summary>
    /// <exception cref="LogUnavailableException">One no longer exists, or cannot be read.</exception>
    public StoreState Read(
        LogPosition from,
        long through,
        StoreCipher? cipher,
        RecordHandler handler,
        CancellationToken ct
    )
    {
        try
        {
            using var reader = new JournalReader(_files, _directory, _storeId, checkChecksums: true, cipher, from.File)
            {
                WithoutZstd = _options.WithoutZstd,
            };
            return reader.ReadOn(from, through, handler, ct);
        }
        catch (JournalCorruptException e)
        {
            throw new LogUnavailableException(_directory, from.Transaction + 1, e.Message);
        }
    }

    private long FirstHeld => Math.Min(_holding, _holds.FirstFile);

    /// <summary>Takes the files of before the opening that are held out of those to be used again.</summary>
    private IEnumerable<string> HoldBack(IEnumerable<string> paths)
    {
        var first = FirstHeld;
        foreach (var path in paths)
        {
            var number = JournalLayout.NumberOf(path);
            if (number < first)
            {
                yield return path;
                continue;
            }
            using var file = _files.Open(path, create: false);
            if (JournalFileHeader.Read(file, _storeId) == number)
                _held[number] = (path, file.Length);
            else
                yield return path;
        }
    }

    /// <summary>Where too much is kept, those who need the oldest of it lose it.</summary>
    private void EnforceHeldLimit()
    {
        long first;
        lock (_gate)
        {
            var over = _held.Values.Sum(h => h.Length) - _options.MaxHeldJournalBytes;
            if (over <= 0)
                return;
            first = _held.First(h => (over -= h.Value.Length) <= 0).Key + 1;
        }
        foreach (var name in _holds.Drop(first, _prepareFailed))
            StorageLog.HoldDropped(StorageLog.Of(_options), _directory, name, _options.MaxHeldJournalBytes);
        ReleaseUnneeded();
    }

    private void ReleaseUnneeded()
    {
        List<string> surplus = [];
        lock (_gate)
        {
            var first = FirstHeld;
            foreach (var (number, file) in _held.TakeWhile(h => h.Key < first).ToList())
            {
                _held.Remove(number);
                Spare(file.Path, file.Length, surplus);
            }
        }
        surplus.ForEach(TryDelete);
    }

    /// <summary>A file that no holder needs is reused, unless enough others are spare already.</summary>
    private void Spare(string path, long length, List<string> surplus)
    {
        if (!_closing && _spares.Sum(s => s.Length) + length <= 2 * _options.FlushJournalBytes)
            _spares.Add((path, length));
        else
            surplus.Add(path);
    }
}
