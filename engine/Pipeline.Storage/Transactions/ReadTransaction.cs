namespace Pipeline.Storage;

/// <summary>
/// A snapshot: it sees all transactions up to <see cref="Transaction.Id"/> and none after it, however long it is open. It takes no lock and
/// copies nothing; but while it is open the versions of pages that it could need are kept in memory and in the journal.
/// </summary>
public sealed class ReadTransaction : Transaction
{
    private readonly StorageEnvironment _environment;
    private readonly int _slot;

    internal ReadTransaction(StorageEnvironment environment, PageAccess pages, int slot) : base(pages)
    {
        _environment = environment;
        _slot = slot;
    }

    private protected override void End() => _environment.EndRead(_slot);
}
