using System.Buffers;
using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// Applies the journal's entries after a checkpoint to the data file. Each touched page is brought to its last state in memory, verified
/// against the checksum that the journal's own bytes give it, and written. Writing the same bytes twice changes nothing, so a crash during
/// recovery needs no other care than to begin again; and a page that the interrupted flush left half old and half new becomes whole, since
/// the two halves differ only in bytes that the journal holds.
/// </summary>
internal sealed unsafe class Recovery(DataFile data, ScratchPool scratch, long flushBytes, bool verify, MetaPage meta) : IDisposable
{
    private readonly Dictionary<long, nint> _pages = [];

    /// <summary>Encrypted pages that could not be decrypted: a record that follows frees them, or they are damaged.</summary>
    private readonly HashSet<long> _unreadable = [];

    /// <summary>Pages written to the data file.</summary>
    public long PagesWritten { get; private set; }

    /// <summary>Applies one transaction's records.</summary>
    /// <exception cref="JournalCorruptException">A record, though its entry's checksum is right, makes no sense.</exception>
    public void Apply(StoreState state, byte* records, byte* end, int count)
    {
        data.EnsurePages(state.PageCount);
        for (var i = 0; i < count; i++)
        {
            if (records >= end)
                throw Invalid(state, i);
            var kind = (PageVersionKind)(*records++);
            if (!PageDiff.ReadVarint(ref records, end, out var number) || !PageDiff.ReadVarint(ref records, end, out var pages)
                || number < 2 || pages < 1 || pages > PageLayout.PagesPerGroup || number + pages > state.PageCount || kind > PageVersionKind.Freed)
                throw Invalid(state, i);
            if (kind == PageVersionKind.Freed)
            {
                Drop(number);
                continue;
            }
            var version = kind == PageVersionKind.New ? Fresh(number, (int)pages) : Existing(number, (int)pages);
            records = PageDiff.Apply(records, end, PageVersion.Page(version), pages << PageLayout.PageShift);
            if (records == null)
                throw Invalid(state, i);
        }
        if (scratch.Bytes > flushBytes)
            Write();
    }

    /// <summary>Verifies the touched pages and writes them; the caller syncs.</summary>
    public void Finish(StoreState state)
    {
        foreach (var (number, entry) in _pages)
        {
            if (_unreadable.Contains(number))
                throw new CorruptPageException(data.Path, number, null, "it can not be decrypted: it was altered, or belongs elsewhere");
            var reason = verify ? PageChecksum.Check(PageVersion.Page((PageVersion*)entry), number, state.PageCount - number) : null;
            if (reason is not null)
                throw new CorruptPageException(data.Path, number, null, $"after replay of the journal {reason}");
        }
        Write();
    }

    public void Dispose()
    {
        foreach (var entry in _pages.Values)
            scratch.Return((PageVersion*)entry);
        _pages.Clear();
    }

    private void Write()
    {
        if (_pages.Count == 0)
            return;
        nint[] versions = [.. _pages.Where(p => !_unreadable.Contains(p.Key)).OrderBy(p => p.Key).Select(p => p.Value)];
        data.Protect(versions, meta.Sequence, meta.State.TransactionId);
        var buffer = ArrayPool<byte>.Shared.Rent(DataFile.WriteBufferBytes);
        data.WritePages(versions, buffer, verified: false);
        ArrayPool<byte>.Shared.Return(buffer);
        if (data.Plain is not null)
            data.Sync(); // Before the next ones' copies take the place of these.
        PagesWritten += versions.Length;
        foreach (var version in versions)
            Drop(((PageVersion*)version)->PageNumber);
    }

    private PageVersion* Existing(long number, int pages)
    {
        if (_pages.TryGetValue(number, out var entry) && ((PageVersion*)entry)->PageCount == pages)
            return (PageVersion*)entry;
        var version = Fresh(number, pages);
        version->NewSince = 0;
        if (!data.TryCopy(number, pages, PageVersion.Page(version)))
            _unreadable.Add(number);
        return version;
    }

    private PageVersion* Fresh(long number, int pages)
    {
        Drop(number);
        var version = scratch.Rent(pages, PageVersionKind.New);
        version->PageNumber = number;
        version->NewSince = long.MaxValue;
        NativeMemory.Clear(PageVersion.Page(version), (nuint)pages << PageLayout.PageShift);
        _pages[number] = (nint)version;
        return version;
    }

    private void Drop(long number)
    {
        _unreadable.Remove(number);
        if (_pages.Remove(number, out var entry))
            scratch.Return((PageVersion*)entry);
    }

    private static JournalCorruptException Invalid(StoreState state, int record) =>
        new($"journal file {state.Journal.File}", state.Journal.Offset, state.TransactionId, $"record {record} of the entry that ends there is not valid");
}
