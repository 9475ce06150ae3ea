using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>The files of a directory log, its lock, and the checks that a folder is such a log.</summary>
internal sealed class DirectoryLogFolder
{
    private const string Title = "Pipeline directory log, format 1: for trying several processes on one machine";
    private const string MarkerName = "directory-log",
        LockName = "append.lock",
        NewMarkerName = "append.lock.new",
        EndName = "end",
        SegmentEnding = ".log";

    /// <summary>A reader may see a half-written end. A few tries suffice, since a write takes microseconds.</summary>
    private const int EndTries = 100;

    private static readonly string[] SharedFileSystems =
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "9p",
        "v9fs",
        "afs",
        "ceph",
        "fuse",
        "gfs",
        "gfs2",
        "gpfs",
        "lustre",
        "ncpfs",
        "novell",
        "ocfs2",
        "prl_fs",
        "vboxsf",
        "vmhgfs",
        "virtiofs",
        "webdav",
    ];

    private readonly DirectoryLogOptions _options;

    public DirectoryLogFolder(string path, DirectoryLogOptions options)
    {
        Path = System.IO.Path.GetFullPath(path);
        _options = options;
        System.IO.Directory.CreateDirectory(Path);
        var type = options.FileSystem?.Invoke(Path) ?? FileSystemOf(Path);
        if (SharedFileSystems.Contains(type, StringComparer.OrdinalIgnoreCase))
        {
            throw new DirectoryLogRefusedException(
                Path,
                $"its file system is {type}, which several machines may share. Use a folder of a local disk, or a log in Kafka."
            );
        }
        // Check before the first file is written: a wrong path must not receive our files. Names are listed before the
        // marker is looked for: another process that creates this log makes the marker before all other files.
        var others = System
            .IO.Directory.EnumerateFileSystemEntries(Path)
            .Any(f => System.IO.Path.GetFileName(f) is not (LockName or NewMarkerName));
        if (others && !File.Exists(Of(MarkerName)))
        {
            throw new DirectoryLogRefusedException(
                Path,
                "it is not empty and is no directory log. Name an empty folder."
            );
        }
    }

    public string Path { get; }

    /// <summary>Waits for the log's lock. The operating system releases it when the process ends.</summary>
    public async Task<IDisposable> LockAsync(CancellationToken cancellationToken)
    {
        var began = _options.Time.GetTimestamp();
        while (true)
        {
            if (TryLock(out var held, out var busy))
                return held;
            if (_options.Time.GetElapsedTime(began) >= _options.LockTimeout)
            {
                throw new DirectoryLogBusyException(
                    $"'{Of(LockName)}' was locked by another process for {_options.LockTimeout.TotalSeconds:0.#} s.",
                    busy
                );
            }
            await Task.Delay(_options.PollInterval, _options.Time, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Takes the log's lock, unless another process has it.</summary>
    public bool TryLock([NotNullWhen(true)] out IDisposable? held, [NotNullWhen(false)] out IOException? busy)
    {
        (held, busy) = (null, null);
        try
        {
            held = File.OpenHandle(Of(LockName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            return true;
        }
        catch (IOException failure)
            when (failure is not (FileNotFoundException or DirectoryNotFoundException or PathTooLongException))
        {
            busy = failure;
            return false;
        }
    }

    /// <summary>
    /// Whether bytes follow the published end: an append is under way, or its process ended during it.
    /// </summary>
    public bool HasTail()
    {
        var end = ReadEnd();
        return new FileInfo(SegmentPath(end.Segment)) is { Exists: true } last && last.Length > end.Position
            || (end.End != end.Segment && File.Exists(SegmentPath(end.End)));
    }

    /// <summary>
    /// Checks that the folder is a log of this machine and that locks work there. Call it under the lock.
    /// </summary>
    public void Verify()
    {
        if (LocksAreIgnored())
        {
            throw new DirectoryLogRefusedException(
                Path,
                "file locks have no effect there. Use a folder of a local disk, or a log in Kafka."
            );
        }

        var machine = _options.Machine ?? ThisMachine();
        var marker = Of(MarkerName);
        if (!File.Exists(marker))
        {
            var temporary = Of(NewMarkerName);
            File.WriteAllText(temporary, $"{Title}\n{machine}\n");
            using (var written = File.OpenHandle(temporary, FileMode.Open, FileAccess.ReadWrite))
                RandomAccess.FlushToDisk(written);
            File.Move(temporary, marker, overwrite: true);
            SyncNames();
            return;
        }
        var lines = File.ReadAllLines(marker);
        if (lines.Length < 2 || lines[0] != Title)
        {
            throw new DirectoryLogRefusedException(
                Path,
                $"'{marker}' has a version that this program does not support."
            );
        }
        if (lines[1] != machine)
        {
            throw new DirectoryLogRefusedException(
                Path,
                $"it belongs to another machine ({lines[1]}; this one is {machine}). A log of several machines is one in Kafka."
            );
        }
    }

    public string SegmentPath(long first) => Of(first.ToString("d20", CultureInfo.InvariantCulture) + SegmentEnding);

    /// <summary>The first places of all segments, in order.</summary>
    public List<long> Segments()
    {
        var segments = new List<long>();
        foreach (var file in System.IO.Directory.EnumerateFiles(Path, "*" + SegmentEnding))
        {
            if (
                long.TryParse(
                    System.IO.Path.GetFileNameWithoutExtension(file),
                    NumberStyles.None,
                    CultureInfo.InvariantCulture,
                    out var first
                )
            )
            {
                segments.Add(first);
            }
        }
        segments.Sort();
        return segments;
    }

    public bool TryReadEnd(out LogEnd end)
    {
        end = default;
        if (!File.Exists(Of(EndName)))
            return false;
        using var file = File.OpenHandle(
            Of(EndName),
            FileMode.Open,
            FileAccess.Read,
            FileShare.ReadWrite | FileShare.Delete
        );
        Span<byte> bytes = stackalloc byte[LogEnd.Bytes];
        for (var i = 0; i < EndTries; i++)
        {
            if (RandomAccess.Read(file, bytes, 0) == LogEnd.Bytes && LogEnd.TryRead(bytes, out end))
                return true;
            Thread.Yield();
        }
        return false;
    }

    public LogEnd ReadEnd() =>
        TryReadEnd(out var end)
            ? end
            : throw new LogDamagedException(Path, 0, $"'{Of(EndName)}' is missing or damaged; open the log anew");

    public void WriteEnd(in LogEnd end, bool durable)
    {
        Span<byte> bytes = stackalloc byte[LogEnd.Bytes];
        end.Write(bytes);
        using var file = File.OpenHandle(
            Of(EndName),
            FileMode.OpenOrCreate,
            FileAccess.ReadWrite,
            FileShare.ReadWrite | FileShare.Delete
        );
        RandomAccess.Write(file, bytes, 0);
        if (durable)
            RandomAccess.FlushToDisk(file);
    }

    /// <summary>Makes new and removed names durable.</summary>
    public void SyncNames() => NativeStorageFiles.Instance.SyncDirectory(Path);

    private string Of(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>Whether the lock, which is held, can be taken a second time.</summary>
    private bool LocksAreIgnored()
    {
        SafeFileHandle second;
        try
        {
            second = File.OpenHandle(Of(LockName), FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException)
        {
            return false;
        }
        second.Dispose();
        return true;
    }

    private static string ThisMachine()
    {
        const string Id = "/etc/machine-id";
        var id = File.Exists(Id) ? File.ReadAllText(Id).Trim() : "";
        return id.Length > 0 ? id : Environment.MachineName;
    }

    /// <summary>
    /// The type of a folder's file system; empty if the system does not list it, as after chroot. An unlisted one
    /// counts as local.
    /// </summary>
    private static string FileSystemOf(string path)
    {
        try
        {
            return new DriveInfo(path).DriveFormat;
        }
        catch (DriveNotFoundException)
        {
            return "";
        }
    }
}
