using System.Runtime.CompilerServices;
using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// The tree of trees: each tree's name and state (<see cref="TreeState"/>). One catalog belongs to one transaction,
/// which ends it with <see cref="Close"/>; a writer calls <see cref="Save"/> before it commits.
/// </summary>
internal sealed unsafe class TreeCatalog
{
    internal const string CatalogName = "(catalog)";
    private readonly PageAccess _access;
    private readonly List<Tree> _open = new(0);
    private Dictionary<string, Tree>? _byName;
    private Tree? _catalog;

    public TreeCatalog(PageAccess access) => _access = access;

    /// <summary>
    /// Opens a tree and returns the same instance for the same name; <see langword="null"/> if none has this name.
    /// </summary>
    public Tree? TryOpen(string name)
    {
        if (FindOpen(name) is { } open)
            return open;
        return TryReadState(name, out var state) ? Opened(new Tree(_access, name, state)) : null;
    }

    /// <summary>Opens a tree and creates an empty one if none has this name.</summary>
    public Tree OpenOrCreate(string name)
    {
        if (TryOpen(name) is { } tree)
            return tree;
        RequireWritable();
        Span<byte> buffer = stackalloc byte[TreePage.MaxKeyLength];
        var key = Encode(name, buffer);
        _access.IsChanging = true;
        if (Catalog() is not { } catalog)
        {
            _access.CatalogRoot = NewRoot(CatalogName).Root;
            catalog = Catalog()!;
        }

        var state = NewRoot(name);
        state.Write(catalog.Reserve(_access, key, TreeState.Size));
        var opened = Opened(new Tree(_access, name, state));
        _access.IsChanging = false;
        return opened;
    }

    /// <summary>Frees a tree's pages and removes its entry; <see langword="false"/> if none has this name.</summary>
    public bool Drop(string name)
    {
        RequireWritable();
        if (TryOpen(name) is not { } tree)
            return false;
        Span<byte> buffer = stackalloc byte[TreePage.MaxKeyLength];
        _access.IsChanging = true;
        tree.Drop();
        _open.Remove(tree);
        _byName?.Remove(name);
        var found = Catalog()!.Delete(_access, Encode(name, buffer));
        _access.IsChanging = false;
        return found;
    }

    /// <summary>The names of all trees, in the order of their UTF-8 bytes.</summary>
    public IReadOnlyList<string> Names()
    {
        var names = new List<string>();
        if (Catalog() is not { } catalog)
            return names;
        using var cursor = catalog.OpenCursor();
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            names.Add(Encoding.UTF8.GetString(cursor.Key));
        return names;
    }

    /// <summary>
    /// Writes what changed of the open trees' states to the catalog: before a commit, once all other writes are done.
    /// </summary>
    public void Save()
    {
        Span<byte> buffer = stackalloc byte[TreePage.MaxKeyLength];
        foreach (var tree in _open)
        {
            if (tree.State.Equals(tree.Saved))
                continue;
            tree.State.Write(Catalog()!.Reserve(Encode(tree.Name, buffer), TreeState.Size));
            tree.Saved = tree.State;
        }
    }

    /// <summary>
    /// Ends all trees and cursors: with the transaction, or after a rollback within it, because their state is stale
    /// then. The catalog itself stays usable and reads again.
    /// </summary>
    public void Close()
    {
        foreach (var tree in _open)
            tree.Close();
        _open.Clear();
        _byName = null;
        _catalog?.Close();
        _catalog = null;
    }

    /// <summary>
    /// Takes the snapshot away from all trees, which stay open for <see cref="Resume"/>. Allocates nothing.
    /// </summary>
    public void Suspend()
    {
        foreach (var tree in _open)
            tree.Suspend();
        _catalog?.Suspend();
    }

    /// <summary>
    /// Goes on with what the pages now show under the trees' names. Trees that are no longer there are closed.
    /// Allocates nothing.
    /// </summary>
    /// <param name="changed">Whether that is another snapshot than before.</param>
    public void Resume(bool changed)
    {
        _catalog?.Resume(_access, changed ? CatalogState() : _catalog.State);
        for (var i = _open.Count - 1; i >= 0; i--)
        {
            var tree = _open[i];
            if (!changed)
                tree.Resume(_access, tree.State);
            else if (TryReadState(tree.Name, out var state))
                tree.Resume(_access, state);
            else
                Forget(tree, i);
        }
    }

    /// <summary>The catalog's own tree, for checks; <see langword="null"/> before the first tree is made.</summary>
    public Tree? Catalog()
    {
        if (_catalog is null && _access.CatalogRoot != 0)
            _catalog = new Tree(_access, CatalogName, CatalogState());
        return _catalog;
    }

    /// <summary>
    /// Nothing keeps the catalog's own figures: its depth is read off its left edge, its count is not known.
    /// </summary>
    private TreeState CatalogState()
    {
        var state = new TreeState { Root = _access.CatalogRoot, Depth = 1 };
        var page = new TreePage(_access.GetPage(state.Root));
        while (page.Type == PageType.Branch && state.Depth < Tree.MaxDepth)
        {
            page = new TreePage(_access.GetPage(page.Child(0)));
            state.Depth++;
        }

        return state;
    }

    [SkipLocalsInit]
    private bool TryReadState(string name, out TreeState state)
    {
        Span<byte> buffer = stackalloc byte[TreePage.MaxKeyLength];
        state = default;
        if (Catalog() is not { } catalog || !catalog.TryGet(Encode(name, buffer), out var value))
            return false;
        if (!TreeState.TryRead(value, out state))
        {
            throw _access.Corrupt(
                _access.CatalogRoot,
                CatalogName,
                $"the entry of tree '{name}' has {value.Length} bytes, {TreeState.Size} are expected"
            );
        }

        return true;
    }

    private void Forget(Tree tree, int index)
    {
        tree.Close();
        _open.RemoveAt(index);
        _byName?.Remove(tree.Name);
    }

    private TreeState NewRoot(string name)
    {
        var page = new TreePage(_access.AllocateRun(1, PageType.Leaf, out var root));
        PageLayout.TreeTag(page.Pointer) = TreeTag.Of(name);
        page.Reset(PageType.Leaf, default);
        return new TreeState
        {
            Root = root,
            Depth = 1,
            LeafPages = 1,
        };
    }

    private Tree? FindOpen(string name)
    {
        if (_byName is not null)
            return _byName.GetValueOrDefault(name);
        foreach (var tree in _open)
        {
            if (tree.Name == name)
                return tree;
        }

        return null;
    }

    private Tree Opened(Tree tree)
    {
        _open.Add(tree);
        if (_byName is not null)
            _byName.Add(tree.Name, tree);
        else if (_open.Count > 16)
            _byName = _open.ToDictionary(t => t.Name, StringComparer.Ordinal);
        return tree;
    }

    private void RequireWritable()
    {
        if (!_access.IsWritable)
        {
            throw (
                _access.Incomplete is { } error
                    ? new IncompleteOperationException(error)
                    : new InvalidOperationException("Trees are created and dropped in write transactions only.")
            );
        }
    }

    private static ReadOnlySpan<byte> Encode(string name, Span<byte> buffer)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var length = Encoding.UTF8.GetByteCount(name);
        if (length > buffer.Length)
            throw new KeyTooLargeException(length, buffer.Length);
        return buffer.Slice(0, Encoding.UTF8.GetBytes(name, buffer));
    }
}
