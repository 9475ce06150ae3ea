namespace Pipeline.Storage;

/// <summary>
/// Checks a whole store in one snapshot, while it is in use: every tree's pages (checksum where they come from the data file, layout, order,
/// figures), that no page belongs to two owners, and that exactly the reachable pages are marked as used.
/// </summary>
public static unsafe class StorageChecker
{
    private const int MostProblems = 500;

    /// <summary>Checks all that the newest snapshot holds.</summary>
    /// <param name="environment">The open store.</param>
    /// <param name="ct">Stops the check.</param>
    public static StorageReport Check(StorageEnvironment environment, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        using var transaction = environment.BeginRead();
        var state = ((ReaderPages)transaction.Pages).State;
        var problems = new List<TreeProblem>();
        var owners = new string?[state.PageCount];
        Own(0, 2, "(meta)");
        for (var map = PageLayout.AllocationPageInGroup; map < state.PageCount; map += PageLayout.PagesPerGroup)
            Own(map, 1, "(allocation)");

        var reports = new List<TreeReport>();
        try
        {
            if (transaction.Catalog.Catalog() is { } catalog)
                CheckTree(catalog, figures: false);
            foreach (var name in transaction.TreeNames())
                CheckTree(transaction.OpenTree(name), figures: true);
        }
        catch (CorruptPageException e)
        {
            Add(new TreeProblem(e.Tree ?? "(catalog)", e.Page, e.Reason));
        }
        CheckAllocation();
        return new StorageReport(state.TransactionId, state.PageCount, state.FreePages, reports, problems);

        void CheckTree(Tree tree, bool figures)
        {
            var report = TreeChecker.Check(transaction.Pages, tree, (page, count) => Own(page, count, tree.Name), figures, ct);
            reports.Add(report);
            foreach (var problem in report.Problems)
                Add(problem);
        }

        void Own(long page, int count, string owner)
        {
            for (var i = page; i < page + count; i++)
            {
                if ((ulong)i >= (ulong)owners.Length)
                    Add(new TreeProblem(owner, i, $"the page lies beyond the {owners.Length} pages of the store"));
                else if (owners[i] is { } other)
                    Add(new TreeProblem(owner, i, $"the page also belongs to '{other}'"));
                else
                    owners[i] = owner;
            }
        }

        void CheckAllocation()
        {
            var free = 0L;
            for (var group = 0L; group * PageLayout.PagesPerGroup < state.PageCount; group++)
            {
                var first = group * PageLayout.PagesPerGroup;
                byte* map;
                try
                {
                    map = transaction.Pages.GetPage(first + PageLayout.AllocationPageInGroup);
                }
                catch (CorruptPageException e)
                {
                    Add(new TreeProblem("(allocation)", e.Page, e.Reason));
                    continue;
                }
                for (var i = 0L; i < PageLayout.PagesPerGroup; i++)
                {
                    var used = Bitmap.IsUsed(map + PageLayout.HeaderSize, i);
                    var owner = first + i < owners.Length ? owners[first + i] : null;
                    if (used && owner is null)
                        Add(new TreeProblem("(allocation)", first + i, "the page is marked as used, but nothing refers to it"));
                    else if (!used && owner is not null)
                        Add(new TreeProblem(owner, first + i, "the page is in use, but marked as free"));
                    if (!used && first + i < owners.Length)
                        free++;
                }
                ct.ThrowIfCancellationRequested();
            }
            if (free != state.FreePages)
                Add(new TreeProblem("(allocation)", 2, $"{free} pages are free, {state.FreePages} are expected"));
        }

        void Add(TreeProblem problem)
        {
            if (problems.Count < MostProblems)
                problems.Add(problem);
        }
    }
}
