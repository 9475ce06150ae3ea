using Pipeline.Documents;
using Pipeline.Scripting;

namespace Pipeline.Database.Indexes;

/// <summary>A definition that cannot be an index.</summary>
public sealed class InvalidIndexException : Exception
{
    /// <summary>Creates the error.</summary>
    public InvalidIndexException(string name, string reason, IReadOnlyList<ScriptError> errors)
        : base(
            $"The index '{DocumentKeys.Printable(name)}' cannot be made: {reason}.{string.Concat(errors.Select(e => "\n" + e))}"
        )
    {
        Name = name;
        Errors = errors;
    }

    /// <summary>The index's name.</summary>
    public string Name { get; }

    /// <summary>The errors in its C#, each with its place; empty if the reason is another one.</summary>
    public IReadOnlyList<ScriptError> Errors { get; }
}

/// <summary>An index is in error and does not follow the changes.</summary>
public sealed class IndexFailedException : Exception
{
    /// <summary>Creates the error.</summary>
    public IndexFailedException(string name, string failure)
        : base(
            $"The index '{DocumentKeys.Printable(name)}' is in error: {failure}. Correct its definition, or reset it."
        )
    {
        Name = name;
        Failure = failure;
    }

    /// <summary>The index.</summary>
    public string Name { get; }

    /// <summary>Why.</summary>
    public string Failure { get; }
}

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
