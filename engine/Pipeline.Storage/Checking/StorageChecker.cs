using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Checks a whole store as of one transaction: every tree's pages (checksum where they come from the data file, layout,
/// order, figures), that no page belongs to two owners, and that exactly the reachable pages are marked as used. An
/// open store is checked in a snapshot, while it is in use; one that is not open through <see cref="OfflineStore"/>.
/// </summary>
public static unsafe class StorageChecker
{
    /// <summary>Checks all that the newest snapshot holds.</summary>
    /// <param name="environment">The open store.</param>
    /// <param name="ct">Stops the check.</param>
    public static StorageReport Check(StorageEnvironment environment, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        using var transaction = environment.BeginRead();
        return Check(transaction.Pages, ((ReaderPages)transaction.Pages).State, null, ct);
    }

    internal static StorageReport Check(
        PageAccess pages,
        StoreState state,
        IProgress<long>? progress,
        CancellationToken ct
    ) => new Run(pages, state, progress).Check(ct);

    private sealed class Run(PageAccess pages, StoreState state, IProgress<long>? progress)
    {
        private const int MaxProblems = 500;
        private const int MaxLeaks = 20;
        private const string Allocation = "(allocation)";
        private readonly List<TreeProblem> _problems = [];
        private readonly List<string> _names = ["", "(meta)", Allocation];
        private readonly int[] _owners = new int[state.PageCount];
        private readonly List<TreeReport> _reports = [];
        private long _problemCount;
        private long _pagesSeen;
        private bool _partial;

        public StorageReport Check(CancellationToken ct)
        {
            Own(0, 2, 1);
            for (var map = PageLayout.AllocationPageInGroup; map < state.PageCount; map += PageLayout.PagesPerGroup)
                Own(map, 1, 2);
            if (state.CatalogRoot != 0)
            {
                CheckTree(TreeCatalog.CatalogName, new TreeState { Root = state.CatalogRoot }, figures: false, ct);
                CheckTrees(ct);
            }
            CheckAllocation(ct);
            progress?.Report(_pagesSeen);
            return new StorageReport(state.TransactionId, state.PageCount, state.FreePages, _reports, _problems)
            {
                ProblemCount = _problemCount,
            };
        }

        private void CheckTrees(CancellationToken ct)
        {
            var walk = new LeafWalk(pages, []);
            walk.Walk(state.CatalogRoot, new KeyRange(null, null), ct);
            _partial |= walk.Gaps.Count > 0;
            foreach (var leaf in walk.Leaves)
            {
                for (var i = 0; i < leaf.Page(pages).Count; i++)
                {
                    var page = leaf.Page(pages); // The check of a tree forgets pages.
                    var name = Encoding.UTF8.GetString(LeafWalk.KeyOf(page, i));
                    if (
                        LeafWalk.TryValue(pages, page, i, out var value, out _, out _)
                        && TreeState.TryRead(value, out var tree)
                    )
                    {
                        CheckTree(name, tree, figures: true, ct);
                    }
                    else
                    {
                        Add(
                            new TreeProblem(
                                TreeCatalog.CatalogName,
                                leaf.Number,
                                $"the entry of tree '{name}' has {value.Length} bytes, {TreeState.Size} are expected"
                            )
                        );
                    }
                }
            }
        }

        private void CheckTree(string name, TreeState tree, bool figures, CancellationToken ct)
        {
            var owner = _names.Count;
            _names.Add(name);
            var report = TreeChecker.Check(
                pages,
                new Tree(pages, name, tree),
                (page, count) => Own(page, count, owner),
                figures,
                ct
            );
            _reports.Add(report);
            _partial |= report.IsPartial;
            foreach (var problem in report.Problems)
                Add(problem);
            _problemCount += report.ProblemCount - report.Problems.Count;
        }

        private void Own(long page, int count, int owner)
        {
            for (var i = page; i < page + count; i++)
            {
                if ((ulong)i >= (ulong)_owners.Length)
                {
                    Add(
                        new TreeProblem(
                            _names[owner],
                            i,
                            $"the page lies beyond the {_owners.Length} pages of the store"
                        )
                    );
                }
                else if (_owners[i] != 0)
                {
                    Add(new TreeProblem(_names[owner], i, $"the page also belongs to '{_names[_owners[i]]}'"));
                }
                else
                {
                    _owners[i] = owner;
                }
            }
            if ((_pagesSeen += count) % 1024 < count)
                progress?.Report(_pagesSeen);
        }

        private void CheckAllocation(CancellationToken ct)
        {
            var (free, leaks, firstLeak, complete) = (0L, 0L, 0L, true);
            for (var group = 0L; group * PageLayout.PagesPerGroup < state.PageCount; group++)
            {
                ct.ThrowIfCancellationRequested();
                var first = group * PageLayout.PagesPerGroup;
                byte* map;
                try
                {
                    map = pages.GetPage(first + PageLayout.AllocationPageInGroup);
                    if (PageLayout.Type(map) != PageType.Allocation)
                    {
                        throw pages.Corrupt(
                            first + PageLayout.AllocationPageInGroup,
                            null,
                            $"an allocation page is expected, its type is {(int)PageLayout.Type(map)}"
                        );
                    }
                }
                catch (CorruptPageException e)
                {
                    Add(
                        new TreeProblem(
                            Allocation,
                            e.Page,
                            $"{e.Reason}; which of the pages {first} to {first + PageLayout.PagesPerGroup - 1} are free is not known"
                        )
                    );
                    complete = false;
                    continue;
                }
                for (var i = 0L; i < PageLayout.PagesPerGroup; i++)
                {
                    // Behind the last page most bits are 0, as they should be: eight at a time.
                    if (first + i >= _owners.Length && (i & 7) == 0 && map[PageLayout.HeaderSize + (i >> 3)] == 0)
                    {
                        i += 7;
                        continue;
                    }
                    var used = Bitmap.IsUsed(map + PageLayout.HeaderSize, i);
                    var page = first + i;
                    var owner = page < _owners.Length ? _owners[page] : 0;
                    if (used && owner == 0)
                    {
                        firstLeak = leaks == 0 ? page : firstLeak;
                        if (++leaks <= MaxLeaks && !_partial)
                        {
                            Add(
                                new TreeProblem(
                                    Allocation,
                                    page,
                                    "the page is marked as used, but nothing refers to it"
                                )
                            );
                        }
                    }
                    else if (!used && owner != 0)
                    {
                        Add(new TreeProblem(_names[owner], page, "the page is in use, but marked as free"));
                    }
                    if (!used && page < _owners.Length)
                        free++;
                }
            }
            if (leaks > 0 && (_partial || leaks > MaxLeaks))
            {
                Add(
                    new TreeProblem(
                        Allocation,
                        firstLeak,
                        _partial
                            ? $"{leaks} pages from there on are in use behind damaged pages, or not at all"
                            : $"{leaks} pages in all from there on are marked as used, but nothing refers to them"
                    )
                );
            }
            if (complete && free != state.FreePages)
                Add(new TreeProblem(Allocation, 2, $"{free} pages are free, {state.FreePages} are expected"));
        }

        private void Add(TreeProblem problem)
        {
            _problemCount++;
            if (_problems.Count < MaxProblems)
                _problems.Add(problem);
        }
    }
}
