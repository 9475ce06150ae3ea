namespace Pipeline.Storage;

/// <summary>
/// The open write transaction, as an operation given to <see cref="StorageEnvironment.WriteAsync{T}"/> gets it. It sees
/// what operations before it have changed, committed or about to be. Must not be kept after the operation returns, nor
/// disposed by it.
/// </summary>
public sealed class WriteTransaction : Transaction
{
    internal WriteTransaction(WriterPages pages)
        : base(pages) => Writer = pages;

    internal WriterPages Writer { get; }

    /// <summary>
    /// A rising number of the caller, recorded with the transaction in the journal. A copy of the journal can then be
    /// applied up to a chosen mark. An operation that sets it must change something as well.
    /// </summary>
    public long Mark
    {
        get => Writer.UserMark;
        set => Writer.UserMark = value;
    }

    /// <summary>Opens a tree and creates an empty one if none has this name.</summary>
    public Tree CreateTree(string name) => Catalog.OpenOrCreate(name);

    /// <summary>Deletes a tree and its contents; false if there is none.</summary>
    public bool DropTree(string name) => Catalog.Drop(name);

    /// <summary>
    /// Goes up with each call that may change something: the same number twice means that nothing changed in between.
    /// </summary>
    public long Changes => Writer.Changes;

    /// <summary>
    /// Tells the store that an error cuts changes short that belong together. Where something changed since the first
    /// of them began, the transaction takes no more changes and nothing of the operation is committed, even if it
    /// catches the error; its caller gets an <see cref="IncompleteOperationException"/> with the error.
    /// </summary>
    /// <param name="error">The error.</param>
    /// <param name="since">The value of <see cref="Changes"/> before the first change.</param>
    /// <returns>Always <see langword="false"/>: the filter of a catch clause that lets the error pass.</returns>
    public bool NoteError(Exception error, long since)
    {
        if (Writer.Changes != since)
            Writer.MakeIncomplete(error);
        return false;
    }

    private protected override void End() { }
}
