using System.Globalization;
using System.IO.Compression;
using Pipeline.Hosting.Transfer;
using Pipeline.Storage;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>Export from and import into the database of a running worker.</summary>
internal static class RemoteTransfer
{
    private const int BufferBytes = 1 << 16;

    /// <summary>
    /// Writes the documents to a file, which appears when it is complete, or to standard output without a file.
    /// </summary>
    /// <returns>How many documents were written.</returns>
    public static async Task<long> ExportAsync(
        CommandRun run,
        string url,
        string? collection,
        string? path,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var query = collection is null ? "" : "?collection=" + Uri.EscapeDataString(collection);
        using var answer = await client.OpenAsync("/export" + query, cancellationToken).ConfigureAwait(false);
        var total = answer.Headers.TryGetValues(TransferEndpoint.DocumentsHeader, out var values)
            ? long.Parse(values.First(), CultureInfo.InvariantCulture)
            : 0;
        var body = await answer.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        await using var closing = body.ConfigureAwait(false);
        if (path is null)
        {
            await CopyAsync(url, body, run.Console.OutStream, null, cancellationToken).ConfigureAwait(false);
            await run.Console.OutStream.FlushAsync(cancellationToken).ConfigureAwait(false);
            return total;
        }

        var line = new DocumentLine(run.Console, run.Time, "exporting", total);
        var counted = new Documents(line, total);
        var partial = path + ".partial";
        try
        {
            var file = PrivateFile.Open(partial, FileMode.Create, FileOptions.Asynchronous);
            await using (file.ConfigureAwait(false))
            {
                if (path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase))
                {
                    var gzip = new GZipStream(file, CompressionLevel.Optimal, leaveOpen: true);
                    await using (gzip.ConfigureAwait(false))
                        await CopyAsync(url, body, gzip, counted, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    await CopyAsync(url, body, file, counted, cancellationToken).ConfigureAwait(false);
                }

                file.Flush(flushToDisk: true);
            }

            File.Move(partial, path, overwrite: true);
            return total;
        }
        catch
        {
            File.Delete(partial);
            throw;
        }
        finally
        {
            line.Clear();
        }
    }

    /// <summary>Sends a file's content, decompressed, to be checked or stored.</summary>
    /// <param name="client">The worker.</param>
    /// <param name="path">The file: JSON lines, or a dump.</param>
    /// <param name="checks">Whether nothing is stored.</param>
    /// <param name="progress">Gets the number of lines sent.</param>
    /// <param name="cancellationToken">Ends it; earlier commits stay.</param>
    public static async Task<ImportedFile> ImportAsync(
        WorkerClient client,
        string path,
        bool checks,
        IProgress<long> progress,
        CancellationToken cancellationToken
    )
    {
        using var content = new PlainFileContent(path, progress);
        var query = $"?name={Uri.EscapeDataString(path)}{(checks ? "&check=true" : "")}";
        try
        {
            return WorkerClient.Read<ImportedFile>(
                await client.PostAsync("/import" + query, content, cancellationToken).ConfigureAwait(false)
            );
        }
        catch (WorkerException) when (content.Fault is not null)
        {
            throw new WorkerException($"{path}: {content.Fault}", ExitCodes.Failed);
        }
    }

    private static async Task CopyAsync(
        string url,
        Stream from,
        Stream to,
        IProgress<ReadOnlyMemory<byte>>? progress,
        CancellationToken cancellationToken
    )
    {
        var buffer = new byte[BufferBytes];
        while (true)
        {
            int read;
            try
            {
                read = await from.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is IOException or HttpRequestException)
            {
                throw new WorkerException($"lost the worker at {url} before the end: {e.Message}", ExitCodes.Failed, e);
            }

            if (read == 0)
                return;
            await to.WriteAsync(buffer.AsMemory(0, read), cancellationToken).ConfigureAwait(false);
            progress?.Report(buffer.AsMemory(0, read));
        }
    }

    /// <summary>Counts the lines that pass, which are documents up to their number.</summary>
    private sealed class Documents(IProgress<long> line, long total) : IProgress<ReadOnlyMemory<byte>>
    {
        private long _lines;

        public void Report(ReadOnlyMemory<byte> value)
        {
            _lines += value.Span.Count((byte)'\n');
            line.Report(Math.Min(_lines, total));
        }
    }
}
