namespace Pipeline.Documents.Maintenance;

/// <summary>A document that a salvage could not copy.</summary>
/// <param name="Id">Its id, in lower case if only that form is left; null if it is lost too.</param>
/// <param name="Position">Its position; 0 if it is lost.</param>
/// <param name="Collection">Its collection; null if it is unknown.</param>
public sealed record LostDocument(string? Id, long Position, string? Collection)
{
    /// <inheritdoc/>
    public override string ToString() =>
        $"{(Id is null ? "a document whose id is lost" : $"document '{DocumentKeys.Printable(Id)}'")}{(Position > 0 ? $", position {Position}" : "")}{(Collection is null ? "" : $", collection '{Collection}'")}";
}
