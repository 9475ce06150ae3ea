using System.Globalization;
using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// The holders of the journal, in a small file in the journal folder that is replaced as a whole. If the file is lost
/// or damaged, nothing is held, and readers notice that. Thread-safe.
/// </summary>
internal sealed class LogHolds
{
    private const string Magic = "PLH1";
    private readonly Lock _gate = new();
    private readonly IStorageFiles _files;
    private readonly string _directory;
    private readonly Guid _storeId;
    private Dictionary<string, LogPosition> _holds;

    public LogHolds(IStorageFiles files, string directory, Guid storeId)
    {
        (_files, _directory, _storeId) = (files, directory, storeId);
        _holds = Load() ?? new Dictionary<string, LogPosition>(StringComparer.Ordinal);
    }

    /// <summary>The lowest number of a file that is kept; none if there are no holds.</summary>
    public long FirstFile
    {
        get
        {
            lock (_gate)
                return _holds.Count == 0 ? long.MaxValue : _holds.Values.Min(h => h.File);
        }
    }

    public IReadOnlyList<LogHold> All
    {
        get
        {
            lock (_gate)
            {
                return
                [
                    .. _holds
                        .Select(h => new LogHold(h.Key, h.Value))
                        .OrderBy(h => h.Position.Transaction)
                        .ThenBy(h => h.Name, StringComparer.Ordinal),
                ];
            }
        }
    }

    /// <summary>
    /// Sets or, without a position, removes one; durable when this returns. False where nothing changed.
    /// </summary>
    public bool Set(string name, LogPosition? position)
    {
        lock (_gate)
        {
            var changed = new Dictionary<string, LogPosition>(_holds, StringComparer.Ordinal);
            if (position is { } at)
            {
                if (changed.TryGetValue(name, out var known) && known == at)
                    return false;
                changed[name] = at;
            }
            else if (!changed.Remove(name))
            {
                return false;
            }
            Save(changed);
            _holds = changed;
            return true;
        }
    }

    /// <summary>
    /// Removes those that need the files before a number, in memory at once; the file follows if it can.
    /// </summary>
    public IReadOnlyList<string> Drop(long firstFile, Action<Exception> failed)
    {
        lock (_gate)
        {
            var dropped = _holds.Where(h => h.Value.File < firstFile).Select(h => h.Key).ToList();
            dropped.ForEach(name => _holds.Remove(name));
            try
            {
                if (dropped.Count > 0)
                    Save(_holds);
            }
            catch (Exception e) when (e is IOException or StorageException or UnauthorizedAccessException)
            {
                failed(e);
            }
            return dropped;
        }
    }

    private string FilePath => Path.Combine(_directory, "held");

    private void Save(Dictionary<string, LogPosition> holds)
    {
        var text = new StringBuilder(Magic).Append(' ').Append(_storeId.ToString("n")).Append('\n');
        foreach (var (name, at) in holds)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"{at.Transaction} {at.File} {at.Offset} {at.Chain:x8} {Uri.EscapeDataString(name)}\n"
            );
        }

        var bytes = Encoding.UTF8.GetBytes(text.ToString());
        byte[] all = [.. bytes, .. Encoding.ASCII.GetBytes(Checksum(bytes) + "\n")];
        var temporary = FilePath + ".new";
        _files.Delete(temporary);
        using (var file = _files.Open(temporary, create: true))
        {
            file.Write(0, all);
            file.Sync();
        }
        _files.Move(temporary, FilePath);
        _files.SyncDirectory(_directory);
    }

    private Dictionary<string, LogPosition>? Load()
    {
        if (!_files.Exists(FilePath))
            return null;
        byte[] bytes;
        using (var file = _files.Open(FilePath, create: false))
        {
            bytes = new byte[Math.Min(file.Length, 1 << 20)];
            bytes = bytes[..file.Read(0, bytes)];
        }
        var end = bytes.Length - 9;
        if (end <= 0 || Encoding.ASCII.GetString(bytes, end, 8) != Checksum(bytes.AsSpan(0, end)))
            return null;
        var lines = Encoding.UTF8.GetString(bytes, 0, end).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        if (lines[0] != $"{Magic} {_storeId:n}")
            return null;
        var holds = new Dictionary<string, LogPosition>(StringComparer.Ordinal);
        foreach (var line in lines.Skip(1))
        {
            var parts = line.Split(' ');
            holds[Uri.UnescapeDataString(parts[4])] = new LogPosition(
                long.Parse(parts[0], CultureInfo.InvariantCulture),
                long.Parse(parts[1], CultureInfo.InvariantCulture),
                long.Parse(parts[2], CultureInfo.InvariantCulture),
                uint.Parse(parts[3], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture)
            );
        }
        return holds;
    }

    private static unsafe string Checksum(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
            return Crc32C.Compute(0, start, bytes.Length).ToString("x8", CultureInfo.InvariantCulture);
    }
}
