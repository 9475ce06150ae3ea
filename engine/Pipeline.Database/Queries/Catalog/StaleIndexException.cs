using System.Globalization;

namespace Pipeline.Database.Queries.Catalog;

/// <summary>An index did not catch up within the time that a query waited for it.</summary>
public sealed class StaleIndexException : TimeoutException
{
    /// <summary>Makes the error.</summary>
    /// <param name="index">The index's name.</param>
    /// <param name="lag">How far it is behind.</param>
    /// <param name="timeout">How long the query waited.</param>
    public StaleIndexException(string index, IndexLag lag, TimeSpan timeout)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The index '{index}' is {lag.Changes:N0} changes behind after a wait of {timeout.TotalSeconds} s. Wait longer, or read the stale index (IndexWait.None)."
            )
        ) => Index = index;

    /// <summary>The index's name.</summary>
    public string Index { get; }
}
