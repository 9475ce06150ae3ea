using System.Buffers;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>Appends whole, synced batches to one JSON lines file. Thread-safe: writes one batch at a time.</summary>
/// <remarks>The first use opens the file and truncates an unfinished last line. It also syncs the file and its
/// directory entry, since a killed run may have left unsynced lines. A batch that cannot be written and synced is
/// truncated at once, or when the file is next opened. No other process can open the file for writing.</remarks>
internal sealed class LineFile(string path, string connection, ILogger logger, IAppendFiles files) : IAsyncDisposable
{
    private const int ScanBlockBytes = 64 * 1024;
    private readonly SemaphoreSlim _lock = new(1, 1);
    private IAppendFile? _file;
    private long _length;
    private bool _disposed;

    public string FilePath => path;

    /// <summary>Runs an action with exclusive access to the file.</summary>
    public async ValueTask<T> ExclusiveAsync<T>(Func<LineFile, T> action, CancellationToken cancellationToken)
    {
        await _lock.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            EnsureOpen();
            return action(this);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Close();
            throw new ConnectorException(
                connection,
                $"The file '{path}' cannot be written: {e.Message}",
                e is IOException,
                e
            );
        }
        finally
        {
            _lock.Release();
        }
    }

    /// <summary>Appends whole lines and syncs. Called within <see cref="ExclusiveAsync"/>.</summary>
    public bool Append(ReadOnlySpan<byte> lines)
    {
        try
        {
            _file!.Write(lines, _length);
            _file.Sync();
            _length += lines.Length;
            return true;
        }
        catch (IOException)
        {
            // The page cache cannot be trusted after a failed sync. Truncate the lines, so that they are written and
            // synced again.
            _file!.Truncate(_length);
            throw;
        }
    }

    /// <summary>Gives the file's lines from the last one backwards until the function returns <see langword="false"/>
    /// or enough bytes were read. Called within <see cref="ExclusiveAsync"/>.</summary>
    public bool ReadBackwards(long maxBytes, Func<ReadOnlyMemory<byte>, bool> line)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(ScanBlockBytes);
        try
        {
            // buffer[0..used) holds the file from 'start'; the line ends at its end.
            var start = _length;
            var used = 0;
            while (true)
            {
                var end = used > 0 && buffer[used - 1] == '\n' ? used - 1 : used;
                var feed = buffer.AsSpan(0, end).LastIndexOf((byte)'\n');
                if (feed >= 0 || start == 0 && end > 0)
                {
                    if (!line(buffer.AsMemory(feed + 1, end - feed - 1)))
                        return true;
                    used = feed + 1;
                    continue;
                }

                if (start == 0 || _length - start >= maxBytes)
                    return start == 0;
                var block = (int)Math.Min(ScanBlockBytes, start);
                var grown = ArrayPool<byte>.Shared.Rent(block + used);
                buffer.AsSpan(0, used).CopyTo(grown.AsSpan(block));
                ArrayPool<byte>.Shared.Return(buffer);
                buffer = grown;
                start -= block;
                ReadExactly(buffer.AsSpan(0, block), start);
                used += block;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _lock.WaitAsync().ConfigureAwait(false);
        Close();
        _disposed = true;
        _lock.Release();
    }

    private void EnsureOpen()
    {
        if (_file is not null)
            return;
        var file = files.Open(path);
        try
        {
            (_file, _length) = (file, file.Length);
            var whole = EndOfLastLine();
            if (whole < _length)
            {
                logger.TornLineCut(path, _length - whole);
                file.Truncate(whole);
                _length = whole;
            }

            file.Sync();
            files.SyncFolder(Path.GetDirectoryName(path)!);
        }
        catch
        {
            Close();
            throw;
        }
    }

    private long EndOfLastLine()
    {
        var block = ArrayPool<byte>.Shared.Rent(ScanBlockBytes);
        try
        {
            for (var end = _length; end > 0; )
            {
                var size = (int)Math.Min(ScanBlockBytes, end);
                ReadExactly(block.AsSpan(0, size), end - size);
                var feed = block.AsSpan(0, size).LastIndexOf((byte)'\n');
                if (feed >= 0)
                    return end - size + feed + 1;
                end -= size;
            }

            return 0;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(block);
        }
    }

    private void ReadExactly(Span<byte> target, long offset)
    {
        while (!target.IsEmpty)
        {
            var read = _file!.Read(target, offset);
            if (read == 0)
                throw new EndOfStreamException($"The file '{path}' became shorter while it was read.");
            target = target[read..];
            offset += read;
        }
    }

    private void Close()
    {
        _file?.Dispose();
        _file = null;
    }
}
