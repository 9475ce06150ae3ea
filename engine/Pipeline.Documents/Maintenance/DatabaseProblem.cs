namespace Pipeline.Documents.Maintenance;

/// <summary>Something in a database that contradicts something else in it, or cannot be read.</summary>
/// <param name="DocumentId">The affected document, if there is one.</param>
/// <param name="Position">The affected position, if there is one.</param>
/// <param name="Reason">The problem.</param>
public sealed record DatabaseProblem(string? DocumentId, long? Position, string Reason)
{
    /// <inheritdoc/>
    public override string ToString() =>
        (DocumentId, Position) switch
        {
            (null, null) => Reason,
            (null, _) => $"position {Position}: {Reason}",
            (_, null) => $"document '{DocumentKeys.Printable(DocumentId)}': {Reason}",
            _ => $"document '{DocumentKeys.Printable(DocumentId)}' (position {Position}): {Reason}",
        };
}
