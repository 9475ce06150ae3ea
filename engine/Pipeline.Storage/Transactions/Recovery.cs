using System.Buffers;

namespace Pipeline.Storage;

/// <summary>
/// Applies the journal's entries after a checkpoint to the data file. Each touched page is brought to its last state in
/// memory, verified against the checksum that the journal's own bytes give it, and written. Writing the same bytes
/// twice changes nothing, so a crash during recovery needs no other care than to begin again; and a page that the
/// interrupted flush left half old and half new becomes whole, since the two halves differ only in bytes that the
/// journal holds.
/// </summary>
internal sealed unsafe class Recovery(DataFile data, ScratchPool scratch, long flushBytes, bool verify, MetaPage meta)
    : IDisposable
{
    private readonly PageReplay _replay = new(scratch, data.TryCopy, meta.State.PageCount);

    /// <summary>Pages written to the data file.</summary>
    public long PagesWritten { get; private set; }

    /// <summary>Applies one transaction's records.</summary>
    /// <exception cref="JournalCorruptException">
    /// A record, though its entry's checksum is right, makes no sense.
    /// </exception>
    public void Apply(StoreState state, byte* records, byte* end, int count)
    {
        data.EnsurePages(state.PageCount);
        _replay.Apply(state, records, end, count);
        if (scratch.Bytes > flushBytes)
            Write();
    }

    /// <summary>Verifies the touched pages and writes them; the caller syncs.</summary>
    public void Finish(StoreState state)
    {
        foreach (var (number, entry) in _replay.Pages)
        {
            if (_replay.IsUnreadable(number))
            {
                throw new CorruptPageException(
                    data.Path,
                    number,
                    null,
                    "it cannot be decrypted: it was altered, or belongs elsewhere"
                );
            }

            var reason = verify
                ? PageChecksum.Check(PageVersion.Page((PageVersion*)entry), number, state.PageCount - number)
                : null;
            if (reason is not null)
                throw new CorruptPageException(data.Path, number, null, $"after replay of the journal {reason}");
        }
        Write();
    }

    public void Dispose() => _replay.Dispose();

    private void Write()
    {
        nint[] versions =
        [
            .. _replay.Pages.Where(p => !_replay.IsUnreadable(p.Number)).OrderBy(p => p.Number).Select(p => p.Version),
        ];
        if (versions.Length == 0)
            return;
        data.Protect(versions, meta.Sequence, meta.State.TransactionId);
        var buffer = ArrayPool<byte>.Shared.Rent(DataFile.WriteBufferBytes);
        data.WritePages(versions, buffer, verified: false);
        ArrayPool<byte>.Shared.Return(buffer);
        if (data.Plain is not null)
            data.Sync(); // Before the next ones' copies take the place of these.
        PagesWritten += versions.Length;
        foreach (var version in versions)
            _replay.Drop(((PageVersion*)version)->PageNumber);
    }
}
