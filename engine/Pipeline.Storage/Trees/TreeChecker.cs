using System.Globalization;

namespace Pipeline.Storage;

/// <summary>
/// Walks a whole tree and checks all invariants: each page's layout within its bounds, order of keys within and across
/// pages, separators against the keys they separate, uniform depth, the figures of the catalog. It follows only sound
/// pages, so it ends on any bytes.
/// </summary>
internal sealed unsafe class TreeChecker
{
    private readonly PageAccess _access;
    private readonly Tree _tree;
    private readonly Action<long, int>? _reached;
    private readonly TreeReport _report;
    private readonly HashSet<long> _seen = [];
    private int _leafLevel = -1;
    private byte[]? _lastKey;

    private TreeChecker(PageAccess access, Tree tree, Action<long, int>? reached)
    {
        _access = access;
        _tree = tree;
        _reached = reached;
        _report = new TreeReport(tree.Name);
    }

    /// <summary>Checks a tree.</summary>
    /// <param name="access">The transaction's pages.</param>
    /// <param name="tree">The tree.</param>
    /// <param name="reached">Called with each page (or run) that the tree holds and its length in pages.</param>
    /// <param name="checkFigures">Whether the tree's count and page counts are known and must be met.</param>
    /// <param name="ct">Stops the walk.</param>
    public static TreeReport Check(
        PageAccess access,
        Tree tree,
        Action<long, int>? reached = null,
        bool checkFigures = true,
        CancellationToken ct = default
    )
    {
        var checker = new TreeChecker(access, tree, reached);
        checker.Walk(tree.State.Root, 0, null, null, ct);
        if (checkFigures && !checker._report.IsPartial)
            checker.CheckFigures();
        return checker._report;
    }

    private void Walk(long number, int level, byte[]? low, byte[]? high, CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        if (level >= Tree.MaxDepth || !_seen.Add(number))
        {
            _report.Add(
                number,
                level >= Tree.MaxDepth ? "it lies too deep" : "the tree reaches it twice",
                new KeyRange(low, high)
            );
            return;
        }

        // A damaged page is the tree's all the same.
        _reached?.Invoke(number, 1);
        TreePage page;
        try
        {
            page = new TreePage(_access.GetPage(number));
        }
        catch (CorruptPageException e)
        {
            _report.Add(number, e.Reason, new KeyRange(low, high));
            return;
        }

        if (!TreePageCheck.IsSound(page, number, out var reason))
        {
            _report.Add(number, reason, new KeyRange(low, high));
            return;
        }

        if (page.IsLeaf)
            CheckLeaf(page, number, level, low, high);
        else
            CheckBranch(page, number, level, low, high, ct);
    }

    private void CheckLeaf(TreePage page, long number, int level, byte[]? low, byte[]? high)
    {
        _report.LeafPages++;
        _report.LeafBytes += page.Used;
        _report.Depth = Math.Max(_report.Depth, level + 1);
        if (_leafLevel < 0)
            _leafLevel = level;
        else if (level != _leafLevel)
            _report.Add(number, $"a leaf on level {level}, others are on {_leafLevel}");
        if (page.Count == 0 && level > 0)
            _report.Add(number, "an empty leaf");
        for (var i = 0; i < page.Count; i++)
        {
            var key = Key(page, i);
            CheckKey(number, i, key, low, high);
            if (_lastKey is not null && _lastKey.AsSpan().SequenceCompareTo(key) >= 0)
                _report.Add(number, $"key {i} ({Show(key)}) does not follow {Show(_lastKey)}");
            _lastKey = key;
            _report.Count++;
            if (page.IsOverflow(i))
                CheckOverflow(page, number, i);
        }
    }

    private void CheckBranch(TreePage page, long number, int level, byte[]? low, byte[]? high, CancellationToken ct)
    {
        _report.BranchPages++;
        _report.BranchBytes += page.Used;
        if (page.Count == 0 || (page.Count == 1 && level == 0))
            _report.Add(number, $"a branch with {page.Count} children");
        var from = low;
        for (var i = 0; i < page.Count; i++)
        {
            var to = i + 1 < page.Count ? Key(page, i + 1) : high;
            if (i + 1 < page.Count)
            {
                CheckKey(number, i + 1, to!, low, high);
                if (from is not null && from.AsSpan().SequenceCompareTo(to) >= 0 && i > 0)
                    _report.Add(number, $"separator {i + 1} ({Show(to!)}) does not follow {Show(from)}");
            }

            Walk(page.Child(i), level + 1, from, to, ct);
            from = to;
            _access.Forget();
            page = new TreePage(_access.GetPage(number));
        }
    }

    private void CheckKey(long number, int index, byte[] key, byte[]? low, byte[]? high)
    {
        if (low is not null && key.AsSpan().SequenceCompareTo(low) < 0)
            _report.Add(number, $"key {index} ({Show(key)}) is less than the separator {Show(low)} before the page");
        if (high is not null && key.AsSpan().SequenceCompareTo(high) >= 0)
        {
            _report.Add(
                number,
                $"key {index} ({Show(key)}) is not less than the separator {Show(high)} behind the page"
            );
        }

        if (key.Length > TreePage.MaxKeyLength)
            _report.Add(number, $"key {index} has {key.Length} bytes");
    }

    private void CheckOverflow(TreePage page, long number, int index)
    {
        var run = page.OverflowRun(index, out var length);
        if (length <= TreePage.MaxInlineValue || !_seen.Add(run))
        {
            _report.Add(
                number,
                $"entry {index} names run {run} of {length} bytes, {(length <= TreePage.MaxInlineValue ? "too few for one" : "which is reached twice")}",
                KeyRange.Of(Key(page, index))
            );
            return;
        }

        var pages = PageLayout.PagesForOverflow(length);
        _reached?.Invoke(run, pages);
        try
        {
            var first = _access.GetPage(run);
            if (
                PageLayout.Type(first) != PageType.Overflow
                || PageLayout.Number(first) != run
                || PageLayout.Overflow(first) != length
            )
            {
                _report.Add(
                    run,
                    $"it must begin a run of {length} bytes (entry {index} of page {number}); type {(int)PageLayout.Type(first)}, number {PageLayout.Number(first)}, {PageLayout.Overflow(first)} bytes were found",
                    KeyRange.Of(Key(page, index))
                );
                return;
            }
        }
        catch (CorruptPageException e)
        {
            _report.Add(run, e.Reason, KeyRange.Of(Key(page, index)));
            return;
        }

        _report.OverflowPages += pages;
    }

    private void CheckFigures()
    {
        var state = _tree.State;
        Expect("keys", state.Count, _report.Count);
        Expect("leaf pages", state.LeafPages, _report.LeafPages);
        Expect("branch pages", state.BranchPages, _report.BranchPages);
        Expect("overflow pages", state.OverflowPages, _report.OverflowPages);
        Expect("levels", state.Depth, _report.Depth);
    }

    private void Expect(string what, long known, long found)
    {
        if (known != found)
            _report.Add(_tree.State.Root, $"the catalog says {known} {what}, {found} were found");
    }

    private static byte[] Key(TreePage page, int index)
    {
        var buffer = stackalloc byte[TreePage.KeyBufferSize];
        return new ReadOnlySpan<byte>(buffer, page.CopyKey(index, buffer)).ToArray();
    }

    private static string Show(byte[] key) =>
        key.Length <= 24
            ? Convert.ToHexString(key)
            : string.Create(CultureInfo.InvariantCulture, $"{Convert.ToHexString(key, 0, 24)}… ({key.Length} bytes)");
}
