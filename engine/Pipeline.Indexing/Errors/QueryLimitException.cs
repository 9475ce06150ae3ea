using System.Globalization;

namespace Pipeline.Indexing;

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
