namespace Pipeline.Database.Indexes;

/// <summary>A query needs a new automatic index, and one more would exceed a limit. Nothing was changed.</summary>
public sealed class AutoIndexLimitException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="index">The index that the query needs.</param>
    /// <param name="limit">What is reached, with its name and value.</param>
    public AutoIndexLimitException(string index, string limit)
        : base(
            $"The query needs a new automatic index '{index}', and {limit}. Query an existing index, delete an unused one, or raise the limit."
        ) => Index = index;

    /// <summary>The index that the query needs.</summary>
    public string Index { get; }
}
