using System.IO.Compression;
using System.Net;
using Pipeline.Documents.Transfer;

namespace Pipeline.Hosting.Transfer;

/// <summary>Decompresses a file and sends it while it reads.</summary>
/// <param name="path">The file.</param>
/// <param name="progress">Gets the number of lines sent.</param>
internal sealed class PlainFileContent(string path, IProgress<long> progress) : HttpContent
{
    private const int BufferBytes = 1 << 16;

    /// <summary>Why the file could not be read; null if it could.</summary>
    public string? Fault { get; private set; }

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        try
        {
            await CopyAsync(stream).ConfigureAwait(false);
        }
        catch (InvalidDataException e)
        {
            Fault = e.Message.TrimEnd('.');
            throw;
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    private async Task CopyAsync(Stream target)
    {
        var file = new FileStream(
            path,
            FileMode.Open,
            FileAccess.Read,
            FileShare.Read,
            BufferBytes,
            FileOptions.Asynchronous | FileOptions.SequentialScan
        );
        await using var closing = file.ConfigureAwait(false);
        var start = new byte[CompressedFile.MagicBytes];
        var known = await file.ReadAtLeastAsync(start, start.Length, throwOnEndOfStream: false).ConfigureAwait(false);
        file.Position = 0;
        if (CompressedFile.IsZstandard(start.AsSpan(0, known)))
            throw new InvalidDataException("it is compressed with Zstandard; unpack it first: zstd -d < dump > plain");
        var isGzip = CompressedFile.IsGzip(start.AsSpan(0, known));
        var plain = isGzip ? new GZipStream(file, CompressionMode.Decompress, leaveOpen: true) : (Stream)file;
        var buffer = new byte[BufferBytes];
        long lines = 0,
            bytes = 0;
        for (int read; (read = await plain.ReadAsync(buffer).ConfigureAwait(false)) > 0; )
        {
            await target.WriteAsync(buffer.AsMemory(0, read)).ConfigureAwait(false);
            bytes += read;
            lines += buffer.AsSpan(0, read).Count((byte)'\n');
            progress.Report(lines);
        }

        if (isGzip)
            CompressedFile.CheckGzipLength(file, bytes);
    }
}
