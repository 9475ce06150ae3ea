using Pipeline.Documents;

namespace Pipeline.Database.Indexes;

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
