namespace Pipeline.Storage;

/// <summary>
/// A snapshot: it sees all transactions up to <see cref="Transaction.Id"/> and none after it, however long it is open.
/// It takes no lock and copies nothing. While it is open, the former content of changed pages that it could need stays
/// in memory.
/// </summary>
public sealed class ReadTransaction : Transaction
{
    private readonly IReadSlots _slots;
    private readonly ReaderPages _pages;
    private readonly int _slot;
    private bool _isReset;

    internal ReadTransaction(IReadSlots slots, ReaderPages pages, int slot)
        : base(pages)
    {
        _slots = slots;
        _pages = pages;
        _slot = slot;
    }

    /// <summary>
    /// Lets go of the snapshot, so that it holds back nothing, and keeps the object and its opened trees for
    /// <see cref="Renew"/>. Until then trees and cursors throw <see cref="ObjectDisposedException"/>; spans from them
    /// must not be used any more. Harmless when repeated.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public void Reset()
    {
        var catalog = Catalog;
        if (_isReset)
            return;
        _isReset = true;
        catalog.Suspend();
        Pages.Release();
        _slots.ResetRead(_slot);
    }

    /// <summary>
    /// Lets go of the snapshot and takes the newest one, as a new transaction would, but without allocating. Trees that
    /// were opened show it, those that it does not have are closed; cursors must be positioned again, and spans of
    /// before must not be used any more.
    /// </summary>
    /// <exception cref="ObjectDisposedException">
    /// The transaction has ended, or the environment is closed; the snapshot is then released.
    /// </exception>
    /// <exception cref="CorruptPageException">A page of the catalog of trees is damaged.</exception>
    public void Renew()
    {
        Reset();
        var state = _slots.RenewRead(_slot);
        var changed = !ReferenceEquals(state, _pages.State);
        _pages.MoveTo(state);
        _isReset = false;
        Catalog.Resume(changed);
    }

    /// <summary>
    /// For scans of much of an encrypted store: where the transaction holds more than 8 MiB of decrypted pages for
    /// itself, they are wiped and freed. Spans that were read before must not be used any more, and cursors must be
    /// positioned again. The snapshot stays.
    /// </summary>
    /// <returns>Whether pages were freed.</returns>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    public bool ForgetPages()
    {
        _ = Catalog;
        return Pages.Forget();
    }

    /// <summary>The snapshot's place in the journal.</summary>
    public LogPosition LogPosition => LogPosition.Of(_pages.State);

    /// <summary>The state of the store as of the snapshot, without its pages.</summary>
    public LogState LogState => LogState.Of(_pages.State);

    private protected override void End()
    {
        Pages.Release();
        _slots.EndRead(_slot);
    }
}
