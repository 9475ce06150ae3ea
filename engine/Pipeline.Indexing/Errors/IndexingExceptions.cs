using System.Globalization;

namespace Pipeline.Indexing;

/// <summary>The stored index is damaged. None of the damaged data was used.</summary>
public sealed class IndexCorruptException : Exception
{
    /// <summary>Names the place and the damage.</summary>
    public IndexCorruptException(string tree, string key, string reason)
        : base(
            $"The index is damaged in '{tree}' at {key}: {reason}. Reset the index, which rebuilds it from the documents."
        )
    {
        Tree = tree;
        Key = key;
        Reason = reason;
    }

    /// <summary>The tree of the index's store.</summary>
    public string Tree { get; }

    /// <summary>The key within the tree, as text.</summary>
    public string Key { get; }

    /// <summary>The damage.</summary>
    public string Reason { get; }
}

/// <summary>All entry numbers are used up; nothing was changed.</summary>
public sealed class IndexFullException : Exception
{
    /// <summary>Tells the need and the limit.</summary>
    public IndexFullException(long needed, long limit)
        : base(
            $"The index would exceed its limit of {limit} entries, deleted ones included: it needs {needed}. Reset the index, which rebuilds it with new numbers."
        )
    {
        Needed = needed;
        Limit = limit;
    }

    /// <summary>Entries that there would be.</summary>
    public long Needed { get; }

    /// <summary>The most that there may be.</summary>
    public long Limit { get; }
}

/// <summary>A query cannot be run. The message names the problem and the fix.</summary>
public class QueryException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">The problem, and how to fix it.</param>
    /// <param name="inner">The cause, if another error is.</param>
    public QueryException(string message, Exception? inner = null)
        : base(message, inner) { }
}

/// <summary>A query needs more of something than it may have.</summary>
public sealed class QueryLimitException : QueryException
{
    /// <summary>Makes the error.</summary>
    /// <param name="limit">The name of the limit.</param>
    /// <param name="allowed">How much is allowed.</param>
    /// <param name="needed">How much would be needed at least.</param>
    /// <param name="step">The step of the query that needs it.</param>
    public QueryLimitException(string limit, long allowed, long needed, string step)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The query's step '{step}' needs {needed:N0}, but {limit} allows {allowed:N0}. Make the query narrower, or raise {limit}."
            )
        )
    {
        (Limit, Allowed, Needed, Step) = (limit, allowed, needed, step);
    }

    /// <summary>The name of the limit in <see cref="SearchOptions"/>.</summary>
    public string Limit { get; }

    /// <summary>How much is allowed.</summary>
    public long Allowed { get; }

    /// <summary>How much would have been needed at least.</summary>
    public long Needed { get; }

    /// <summary>The step of the query that needed it.</summary>
    public string Step { get; }
}
