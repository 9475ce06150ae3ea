using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <summary>
/// A consistent view of the store, or the change that is being made to it. Not thread-safe; ended by disposal.
/// </summary>
public abstract class Transaction : IDisposable
{
    private readonly PageAccess _pages;
    private readonly TreeCatalog _catalog;
    private bool _ended;

    private protected Transaction(PageAccess pages)
    {
        _pages = pages;
        _catalog = new TreeCatalog(pages);
    }

    /// <summary>
    /// The transaction that a reader sees as the last, or the number under which a writer will commit.
    /// </summary>
    public long Id => _pages.TransactionId;

    internal PageAccess Pages => _pages;

    internal TreeCatalog Catalog
    {
        get
        {
            ObjectDisposedException.ThrowIf(_ended, this);
            return _catalog;
        }
    }

    /// <summary>Opens a tree, if there is one of the name. The same instance each time.</summary>
    public bool TryOpenTree(string name, [NotNullWhen(true)] out Tree? tree)
    {
        tree = Catalog.TryOpen(name);
        return tree is not null;
    }

    /// <summary>Opens a tree.</summary>
    /// <exception cref="TreeNotFoundException">There is none of the name.</exception>
    public Tree OpenTree(string name) => Catalog.TryOpen(name) ?? throw new TreeNotFoundException(name, Id);

    /// <summary>The names of all trees, in the order of their bytes.</summary>
    public IReadOnlyList<string> TreeNames() => Catalog.Names();

    /// <summary>
    /// Ends the transaction; its trees, cursors and spans must not be used after that. Harmless when repeated.
    /// </summary>
    public void Dispose()
    {
        if (_ended)
            return;
        _catalog.Close();
        _ended = true;
        End();
        GC.SuppressFinalize(this);
    }

    private protected abstract void End();
}
