namespace Pipeline.Storage;

/// <summary>Moves a tree's pages to lower numbers until it has done enough for one transaction.</summary>
internal interface IPageMover
{
    /// <summary>Pages from there on are to be moved.</summary>
    long Boundary { get; }

    /// <summary>Whether single pages stay: the gaps are left to runs.</summary>
    bool OnlyRuns { get; }

    /// <summary>Whether the rest is left to the next transaction.</summary>
    bool IsSpent { get; }

    /// <summary>Counts a page that was looked at.</summary>
    void See();

    /// <summary>Moves a page or run that lies behind the boundary, if there is a place for it.</summary>
    bool TryMove(long from, int pageCount, out long to);
}
