using System.Buffers;
using System.IO.Compression;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// Exports documents as JSON lines in order of id, <c>@metadata</c> first. Attachments, events, their streams'
/// snapshots and compare-exchange values follow, as lines with their type in
/// <c>@export-type</c>. <see cref="JsonLinesImport"/> reads them back.
/// </summary>
public static class JsonLinesExport
{
    private const int FlushAt = 64 * 1024;

    /// <summary>Writes the documents of a snapshot to a stream.</summary>
    /// <param name="snapshot">What to export; in use until this is done.</param>
    /// <param name="target">Where to; it is neither flushed nor closed.</param>
    /// <param name="collection">Only this collection, in any case, with its attachments; null for all.</param>
    /// <param name="progress">Called with the number of documents, about every 1,000; null for no calls.</param>
    /// <param name="ct">Stops the export.</param>
    /// <returns>How many documents were written.</returns>
    public static async Task<long> ExportAsync(
        DatabaseSnapshot snapshot,
        Stream target,
        string? collection = null,
        IProgress<long>? progress = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(target);
        var buffer = new ArrayBufferWriter<byte>(FlushAt * 2);
        long count = 0;
        foreach (var document in snapshot.ScanInIdOrder(collection))
        {
            ct.ThrowIfCancellationRequested();
            document.WriteJson(buffer);
            buffer.Write("\n"u8);
            if (++count % 1_000 == 0)
                progress?.Report(count);
            await FlushAsync().ConfigureAwait(false);
        }

        var parts = new PartLinesWriter(snapshot, buffer, FlushAsync);
        await parts.WriteAttachmentsAsync(collection, ct).ConfigureAwait(false);
        if (collection is null)
        {
            await parts.WriteEventsAsync(ct).ConfigureAwait(false);
            await parts.WriteCompareExchangeAsync(ct).ConfigureAwait(false);
        }

        await target.WriteAsync(buffer.WrittenMemory, ct).ConfigureAwait(false);
        return count;

        async ValueTask FlushAsync()
        {
            if (buffer.WrittenCount < FlushAt)
                return;
            await target.WriteAsync(buffer.WrittenMemory, ct).ConfigureAwait(false);
            buffer.ResetWrittenCount();
        }
    }

    /// <summary>
    /// Writes the documents of a snapshot to a file, which appears, or replaces another, only when it is complete.
    /// </summary>
    /// <param name="snapshot">What to export; in use until this is done.</param>
    /// <param name="path">The file; compressed where its name ends in <c>.gz</c>.</param>
    /// <param name="collection">Only this collection, in any case; null for all.</param>
    /// <param name="progress">Called with the number of documents, about every 1,000; null for no calls.</param>
    /// <param name="ct">Stops the export; no file is left.</param>
    /// <returns>How many documents were written.</returns>
    public static async Task<long> ExportFileAsync(
        DatabaseSnapshot snapshot,
        string path,
        string? collection = null,
        IProgress<long>? progress = null,
        CancellationToken ct = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        var partial = path + ".partial";
        try
        {
            long count;
            var file = Pipeline.Storage.PrivateFile.Open(partial, FileMode.Create, FileOptions.Asynchronous);
            await using (file.ConfigureAwait(false))
            {
                if (path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase))
                {
                    var gzip = new GZipStream(file, CompressionLevel.Optimal, leaveOpen: true);
                    await using (gzip.ConfigureAwait(false))
                        count = await ExportAsync(snapshot, gzip, collection, progress, ct).ConfigureAwait(false);
                }
                else
                {
                    count = await ExportAsync(snapshot, file, collection, progress, ct).ConfigureAwait(false);
                }

                file.Flush(flushToDisk: true);
            }

            File.Move(partial, path, overwrite: true);
            return count;
        }
        catch
        {
            File.Delete(partial);
            throw;
        }
    }
}
