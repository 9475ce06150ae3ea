namespace Pipeline.Storage;

/// <summary>
/// The pages of the store as one transaction sees them; trees use the store only through this. Not thread-safe, but
/// pages that a reader was given never change while it is open.
/// </summary>
internal abstract unsafe class PageAccess
{
    /// <summary>The snapshot of a reader, or the number under which a writer commits.</summary>
    public abstract long TransactionId { get; }

    /// <summary>Whether pages may be changed, allocated and freed.</summary>
    public abstract bool IsWritable { get; }

    /// <summary>
    /// What made the open transaction's changes incomplete, so that it changes nothing more and is not committed; null
    /// while all is well.
    /// </summary>
    public virtual Exception? Incomplete => null;

    /// <summary>
    /// Whether a change of a tree has begun and not ended. An error on its way out leaves it set; where the operation
    /// has changed something, its changes are incomplete from then on, whether it catches the error or not.
    /// </summary>
    public bool IsChanging { get; set; }

    /// <summary>
    /// The page of the catalog's root; 0 while there is none. Setting it needs a writable transaction.
    /// </summary>
    public abstract long CatalogRoot { get; set; }

    /// <summary>
    /// The page, or the first page of a run (whose other pages follow in memory). Valid until the transaction ends; in
    /// a write transaction until that page is made writable or freed. Allocates nothing.
    /// </summary>
    /// <exception cref="CorruptPageException">
    /// The number lies outside the store, or the page does not match its checksum.
    /// </exception>
    public abstract byte* GetPage(long pageNumber);

    /// <summary>
    /// The page (or run), to be changed in place: copied on the first call in this transaction, the same pointer from
    /// then on. Must be called before each operation that changes the page, even when the pointer is still known: the
    /// transaction counts changes by these calls, and an operation that failed without any is not rolled back. The
    /// header's checksum and transaction are filled in at commit.
    /// </summary>
    public abstract byte* GetWritablePage(long pageNumber);

    /// <summary>
    /// As <see cref="GetWritablePage"/>, for a caller that names all bytes that it changes with
    /// <see cref="MarkChanged"/>; header bytes need not be. Never for a run.
    /// </summary>
    public virtual byte* GetPageToEdit(long pageNumber) => GetWritablePage(pageNumber);

    /// <summary>
    /// Names bytes that are changed in a page that <see cref="GetPageToEdit"/> gave; those of a page that it did not
    /// give need no name.
    /// </summary>
    public virtual void MarkChanged(byte* page, int offset, int count) { }

    /// <summary>
    /// Takes free neighbouring pages, zeroed but for the header (type, number, transaction), to be changed in place. A
    /// run has one header, on its first page, and is freed as a whole.
    /// </summary>
    public abstract byte* AllocateRun(int pageCount, PageType type, out long pageNumber);

    /// <summary>
    /// Gives a page, or a whole run, back. It can be allocated again at once: readers keep seeing what their snapshot
    /// holds.
    /// </summary>
    public abstract void FreeRun(long pageNumber, int pageCount);

    /// <summary>Gives back what the transaction holds for itself; at its end, before its snapshot ends.</summary>
    public virtual void Release() { }

    /// <summary>
    /// Lets go of decrypted pages where they take much memory, so that a long walk needs no more of it the longer it
    /// is. Pointers that were given before must then not be used any more.
    /// </summary>
    /// <returns>Whether it did.</returns>
    public virtual bool Forget() => false;

    /// <summary>The error for a page that is not what the tree expects, naming file and page.</summary>
    public abstract CorruptPageException Corrupt(long pageNumber, string? tree, string reason);
}
