using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// The pages of the open write transaction: copies are made in scratch memory and put into the page translation table
/// at once, under the new transaction's number, where no reader looks for them until it is published.
/// </summary>
internal sealed unsafe partial class WriterPages : PageAccess
{
    private readonly PageTable _table;
    private readonly DataFile _data;
    private readonly ScratchPool _scratch;
    private readonly long _limit;
    private readonly StoreState _base;
    private readonly long _transaction;
    private readonly List<nint> _touched;
    private readonly StorageFaults _faults;
    private long _pageCount;
    private long _freePages;
    private long _catalogRoot;
    private long _bytes;
    private long _changes;
    private long _changesBefore;
    private int _dropped;
    private Exception? _cause;
    private Exception? _incomplete;
    private PrivatePages? _own;
    private readonly AllocationHints _hints;
    private readonly AllocationHints _hintsBefore;

    public WriterPages(
        PageTable table,
        DataFile data,
        ScratchPool scratch,
        long limit,
        StoreState state,
        AllocationHints hints,
        List<nint> touched,
        StorageFaults faults = StorageFaults.None
    )
    {
        _faults = faults;
        (_table, _data, _scratch, _limit, _base, _hints, _touched) = (
            table,
            data,
            scratch,
            limit,
            state,
            hints,
            touched
        );
        _transaction = state.TransactionId + 1;
        _pageCount = state.PageCount;
        _freePages = state.FreePages;
        _catalogRoot = state.CatalogRoot;
        _hintsBefore = hints.Copy();
    }

    public override long TransactionId => _transaction;

    public override bool IsWritable => !IsChanging || Incomplete is null;

    public override Exception? Incomplete
    {
        get
        {
            if (!IsChanging)
                return null;
            if (
                _incomplete is null
                && (_changes == _changesBefore || (_faults & StorageFaults.CommitIncompleteOperations) != 0)
            )
            {
                (IsChanging, _cause) = (false, null);
            }
            else
            {
                _incomplete ??=
                    _cause ?? new InvalidOperationException("A change ended with an error that is not known.");
            }

            return _incomplete;
        }
    }

    public override long CatalogRoot
    {
        get => _catalogRoot;
        set
        {
            _changes++;
            _catalogRoot = value;
        }
    }

    /// <summary>The value of <see cref="WriteTransaction.Mark"/>; 0 if it was not set.</summary>
    public long UserMark { get; set; }

    /// <summary>Bytes of page versions made so far.</summary>
    public long Bytes => _bytes;

    /// <summary>Counts the calls that can change something; 0 means that nothing did.</summary>
    public long Changes => _changes;

    /// <summary>All versions made, in the order of making; those of kind Dropped do not count.</summary>
    public List<nint> Touched => _touched;

    /// <summary>
    /// Versions removed from the table that readers may still walk past. They are retired and must not be reused at
    /// once.
    /// </summary>
    public List<nint> Unlinked { get; } = [];

    public override byte* GetPage(long pageNumber)
    {
        if ((ulong)pageNumber >= (ulong)_pageCount)
            throw OutOfRange(pageNumber);
        var version = _table.Find(pageNumber, _transaction);
        if (version == null)
            return GetFromFile(pageNumber);
        if (version->Kind == PageVersionKind.Freed)
            throw Corrupt(pageNumber, null, "it is free, but a page refers to it");
        return PageVersion.Page(version);
    }

    public override byte* GetWritablePage(long pageNumber)
    {
        var page = GetPageToEdit(pageNumber);
        PageVersion.MarkAll(page);
        return page;
    }

    public override void MarkChanged(byte* page, int offset, int count) => PageVersion.Mark(page, offset, count);

    public override byte* GetPageToEdit(long pageNumber)
    {
        if ((ulong)pageNumber >= (ulong)_pageCount)
            throw OutOfRange(pageNumber);
        _changes++;
        var version = _table.Find(pageNumber, _transaction);
        if (version == null)
            return Copy(pageNumber, GetFromFileToEdit(pageNumber), 0);
        if (version->Kind == PageVersionKind.Freed)
            throw Corrupt(pageNumber, null, "it is free, but a page refers to it");
        return version->TransactionId == _transaction
            ? PageVersion.Page(version)
            : Copy(pageNumber, PageVersion.Page(version), version->NewSince);
    }

    public override CorruptPageException Corrupt(long pageNumber, string? tree, string reason)
    {
        var error = new CorruptPageException(_data.Path, pageNumber, tree, reason);
        NoteCause(error);
        return error;
    }

    /// <summary>An operation begins: an error after its first change makes the transaction incomplete.</summary>
    public void BeginOperation()
    {
        (IsChanging, _cause) = (false, null);
        _changesBefore = _changes;
    }

    /// <summary>Makes the transaction incomplete, where the open operation has changed something.</summary>
    public void MakeIncomplete(Exception cause)
    {
        IsChanging = true;
        _cause ??= cause;
        _ = Incomplete;
    }

    /// <summary>
    /// Keeps the error that ends a change, for the later error about the incomplete change. Used as the filter of a
    /// catch clause: always false.
    /// </summary>
    private bool NoteCause(Exception error)
    {
        if (IsChanging)
            _cause ??= error;
        return false;
    }

    /// <summary>Rolls everything back: the table and the hints are as before the transaction.</summary>
    public void Rollback()
    {
        for (var i = _touched.Count - 1; i >= 0; i--)
        {
            var version = (PageVersion*)_touched[i];
            if (version->Kind != PageVersionKind.Dropped)
                _table.Remove(version);
        }
        Unlinked.AddRange(_touched);
        _touched.Clear();
        Release();
        _hints.Restore(_hintsBefore);
    }

    /// <inheritdoc/>
    public override void Release() => _own?.Dispose();

    /// <summary>The state that this transaction leads to; its journal position is still the one before.</summary>
    public StoreState ToState(long ticks) =>
        new()
        {
            TransactionId = _transaction,
            PageCount = _pageCount,
            FreePages = _freePages,
            CatalogRoot = _catalogRoot,
            Ticks = ticks,
            Mark = UserMark == 0 ? _base.Mark : UserMark,
            Journal = _base.Journal,
        };

    private byte* Copy(long pageNumber, byte* before, long newSince)
    {
        var pages = PageLayout.PagesOf(before);
        var version = Rent(pageNumber, pages, PageVersionKind.Changed);
        version->Base = before;
        version->NewSince = newSince;
        NativeMemory.Copy(before, PageVersion.Page(version), (nuint)pages << PageLayout.PageShift);
        _table.Push(version);
        return PageVersion.Page(version);
    }

    private PageVersion* Rent(long pageNumber, int pages, PageVersionKind kind)
    {
        var bytes = _bytes + ((long)pages << PageLayout.PageShift);
        if (kind != PageVersionKind.Freed)
        {
            if (bytes > _limit)
                throw TooLarge(bytes, _limit);
            _bytes = bytes;
        }
        var version = RentNoted(pages, kind);
        version->TransactionId = _transaction;
        version->PageNumber = pageNumber;
        _touched.Add((nint)version);
        return version;
    }

    private byte* GetFromFile(long pageNumber)
    {
        try
        {
            return _data.Get(pageNumber, _pageCount, ref _own);
        }
        catch (Exception e) when (NoteCause(e))
        {
            throw;
        }
    }

    private byte* GetFromFileToEdit(long pageNumber)
    {
        var page = GetFromFile(pageNumber);
        if (!_data.IsReplica)
            return page;
        try
        {
            _data.VerifyAgain(pageNumber, _pageCount);
            return page;
        }
        catch (Exception e) when (NoteCause(e))
        {
            throw;
        }
    }

    private PageVersion* RentNoted(int pages, PageVersionKind kind)
    {
        try
        {
            // Between here and its place in the table nothing may throw: a version in only one of the two could not be
            // taken back.
            _touched.EnsureCapacity(_touched.Count + 1);
            return _scratch.Rent(pages, kind);
        }
        catch (Exception e) when (NoteCause(e))
        {
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TransactionTooLargeException TooLarge(long bytes, long limit)
    {
        var error = new TransactionTooLargeException(bytes, limit);
        NoteCause(error);
        return error;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private CorruptPageException OutOfRange(long pageNumber) =>
        Corrupt(pageNumber, null, $"a page refers to it, but the store has {_pageCount} pages");
}
