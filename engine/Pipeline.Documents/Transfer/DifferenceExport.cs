using System.Buffers;

namespace Pipeline.Documents.Transfer;

/// <summary>What an export of differences has written and found.</summary>
/// <param name="Documents">Documents written.</param>
/// <param name="Deleted">
/// Documents that were deleted here only, at most <see cref="DifferenceExport.MaxDeleted"/> of them.
/// </param>
internal sealed record DifferenceReport(long Documents, IReadOnlyList<string> Deleted);

/// <summary>
/// Exports the documents of one copy of a database that another copy lacks or holds in another version, for example
/// those of a quarantined node. The lines are those of <see cref="JsonLinesExport"/>.
/// </summary>
internal static class DifferenceExport
{
    /// <summary>The most deletions that are named.</summary>
    internal const int MaxDeleted = 10_000;

    private const int FlushAt = 64 * 1024;

    /// <summary>Writes the differences to a stream.</summary>
    /// <param name="here">The copy to export from; in use until this is done.</param>
    /// <param name="there">The other copy; in use until this is done.</param>
    /// <param name="target">Where to; it is neither flushed nor closed.</param>
    /// <param name="ct">Stops the export.</param>
    internal static async Task<DifferenceReport> ExportAsync(
        DatabaseSnapshot here,
        DatabaseSnapshot there,
        Stream target,
        CancellationToken ct = default
    )
    {
        var buffer = new ArrayBufferWriter<byte>(FlushAt * 2);
        long count = 0;
        foreach (var document in here.ScanInIdOrder(null))
        {
            ct.ThrowIfCancellationRequested();
            if (there.TryGet(document.Id, out var other) && AreSame(document, other))
                continue;
            document.WriteJson(buffer);
            buffer.Write("\n"u8);
            count++;
            await FlushAsync().ConfigureAwait(false);
        }

        var parts = new PartLinesWriter(here, buffer, FlushAsync, there);
        await parts.WriteAttachmentsAsync(null, ct).ConfigureAwait(false);
        await parts.WriteEventsAsync(ct).ConfigureAwait(false);
        await parts.WriteCompareExchangeAsync(ct).ConfigureAwait(false);
        await target.WriteAsync(buffer.WrittenMemory, ct).ConfigureAwait(false);
        return new DifferenceReport(count, FindDeleted(here, there, ct));

        async ValueTask FlushAsync()
        {
            if (buffer.WrittenCount < FlushAt)
                return;
            await target.WriteAsync(buffer.WrittenMemory, ct).ConfigureAwait(false);
            buffer.ResetWrittenCount();
        }
    }

    private static bool AreSame(Document one, Document other) =>
        one.Position == other.Position
        && one.LastModified == other.LastModified
        && one.Body.Data.Span.SequenceEqual(other.Body.Data.Span);

    /// <summary>Those whose tombstone is here, and which the other copy still has as they were before it.</summary>
    private static List<string> FindDeleted(DatabaseSnapshot here, DatabaseSnapshot there, CancellationToken ct)
    {
        var deleted = new List<string>();
        var hasMore = true;
        for (long after = 0; hasMore && deleted.Count < MaxDeleted; )
        {
            ct.ThrowIfCancellationRequested();
            using var batch = here.ReadChanges(after, ChangeFilter.AllWithDeletes);
            foreach (var change in batch)
            {
                if (
                    change.IsDeleted
                    && !here.TryGet(change.Id, out _)
                    && there.TryGet(change.Id, out var kept)
                    && kept.Position < change.Position
                    && kept.LastModified <= change.LastModified
                    && deleted.Count < MaxDeleted
                )
                {
                    deleted.Add(change.Id);
                }
            }
            hasMore = batch.Through > after && batch.Through < here.LastPosition;
            after = batch.Through;
        }
        return deleted;
    }
}
