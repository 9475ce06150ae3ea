namespace Pipeline.Database;

/// <summary>What one command of a <see cref="DocumentBatch"/> did.</summary>
/// <param name="Id">The document.</param>
/// <param name="Put">What a put made; null for a delete.</param>
/// <param name="Deleted">Whether a delete found a document.</param>
public sealed record CommandResult(string Id, PutResult? Put, bool Deleted);
