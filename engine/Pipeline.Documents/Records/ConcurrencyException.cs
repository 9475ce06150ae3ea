namespace Pipeline.Documents;

/// <summary>A document is not in the version that a write expected; the write, and its batch, did nothing.</summary>
public sealed class ConcurrencyException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="id">The document.</param>
    /// <param name="expected">The change vector that was expected; empty: no document.</param>
    /// <param name="actual">The one that it has; null: there is no document.</param>
    public ConcurrencyException(string id, string expected, string? actual)
        : base(
            (expected, actual) switch
            {
                ("", _) => $"The document '{id}' must not exist yet, but it does, with change vector '{actual}'.",
                (_, null) =>
                    $"The document '{id}' was expected to have change vector '{expected}', but it does not exist.",
                _ =>
                    $"The document '{id}' was expected to have change vector '{expected}', but it has '{actual}'. Load it again and repeat the change.",
            }
        )
    {
        Id = id;
        Expected = expected;
        Actual = actual;
    }

    /// <summary>The document.</summary>
    public string Id { get; }

    /// <summary>The change vector that was expected; empty: no document.</summary>
    public string Expected { get; }

    /// <summary>The change vector that the document has; null: there is no document.</summary>
    public string? Actual { get; }
}
