using System.Buffers;
using System.IO.Compression;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// Reads a file line by line in bounded memory; one that begins like gzip is decompressed. Not thread-safe.
/// </summary>
internal sealed class JsonLinesReader : IAsyncDisposable
{
    private const int FirstBuffer = 128 * 1024;

    private readonly Stream _stream;
    private readonly FileStream? _compressed;
    private readonly int _maxLine;
    private long _decompressed;
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(FirstBuffer);
    private int _start;
    private int _end;
    private bool _atEnd;

    private JsonLinesReader(Stream stream, FileStream? compressed, int maxLine)
    {
        _stream = stream;
        _compressed = compressed;
        _maxLine = maxLine;
    }

    /// <summary>
    /// The line that was read last, without its end; good until the next read. Empty where <see cref="IsTooLong"/>.
    /// </summary>
    internal ReadOnlyMemory<byte> Line { get; private set; }

    /// <summary>Its number, from 1.</summary>
    internal long LineNumber { get; private set; }

    /// <summary>Whether the line was longer than allowed and was passed over.</summary>
    internal bool IsTooLong { get; private set; }

    /// <summary>
    /// Whether this is the first line and begins like UTF-16: with its mark, or with a zero byte beside a character.
    /// </summary>
    internal bool IsUtf16 =>
        LineNumber == 1 && Line.Span is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..] or [0, not 0, ..] or [not 0, 0, ..];

    /// <summary>Reads lines of a stream, which it closes with itself.</summary>
    internal static JsonLinesReader Of(Stream plain, int maxLine) => new(plain, null, maxLine);

    internal static async Task<JsonLinesReader> OpenAsync(string path, int maxLine, CancellationToken ct)
    {
        var file = new FileStream(
            path,
            FileMode.Open,
            FileAccess.Read,
            FileShare.Read,
            bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan
        );
        try
        {
            var start = new byte[CompressedFile.MagicBytes];
            var read = await file.ReadAtLeastAsync(start, start.Length, throwOnEndOfStream: false, ct)
                .ConfigureAwait(false);
            file.Position = 0;
            return CompressedFile.IsGzip(start.AsSpan(0, read))
                ? new JsonLinesReader(new GZipStream(file, CompressionMode.Decompress), file, maxLine)
                : new JsonLinesReader(file, null, maxLine);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Goes to the next line that is not blank.</summary>
    /// <returns><see langword="false"/> at the end.</returns>
    /// <exception cref="InvalidDataException">The compressed data is damaged.</exception>
    internal async ValueTask<bool> ReadAsync(CancellationToken ct)
    {
        while (await ReadAnyAsync(ct).ConfigureAwait(false))
        {
            if (LineNumber == 1 && Line.Span.StartsWith("\uFEFF"u8))
                Line = Line[3..];
            if (IsTooLong || !IsBlank(Line.Span))
                return true;
        }

        return false;
    }

    public async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync().ConfigureAwait(false);
        var buffer = Interlocked.Exchange(ref _buffer, []);
        if (buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(buffer);
    }

    private static bool IsBlank(ReadOnlySpan<byte> line) => line.IndexOfAnyExcept(" \t\r"u8) < 0;

    private async ValueTask<bool> ReadAnyAsync(CancellationToken ct)
    {
        IsTooLong = false;
        var searched = 0;
        while (true)
        {
            var end = _buffer.AsSpan(_start + searched, _end - _start - searched).IndexOf((byte)'\n');
            if (end >= 0)
                return Take(searched + end, 1);
            searched = _end - _start;
            if (_atEnd)
                return (searched > 0 || IsTooLong) && Take(searched, 0);
            if (searched > _maxLine)
            {
                IsTooLong = true;
                _start = _end;
                searched = 0;
            }

            await FillAsync(ct).ConfigureAwait(false);
        }
    }

    private bool Take(int length, int separator)
    {
        LineNumber++;
        if (length > _maxLine)
            IsTooLong = true;
        Line = IsTooLong ? default : _buffer.AsMemory(_start, length);
        _start += length + separator;
        return true;
    }

    private async ValueTask FillAsync(CancellationToken ct)
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            _end -= _start;
            _start = 0;
        }

        if (_end == _buffer.Length)
        {
            var grown = ArrayPool<byte>.Shared.Rent(checked(_buffer.Length * 2));
            _buffer.AsSpan(0, _end).CopyTo(grown);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = grown;
        }

        var read = await _stream.ReadAsync(_buffer.AsMemory(_end), ct).ConfigureAwait(false);
        _end += read;
        _decompressed += read;
        if (read > 0)
            return;
        if (_compressed is not null)
            CompressedFile.CheckGzipLength(_compressed, _decompressed);
        _atEnd = true;
    }
}
