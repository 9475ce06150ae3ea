namespace Pipeline.Database;

/// <summary>What a put made.</summary>
/// <param name="Id">The document's id, made by the database where it was asked to.</param>
/// <param name="Collection">The document's collection.</param>
/// <param name="Position">The change's position.</param>
/// <param name="ChangeVector">The version's change vector.</param>
/// <param name="LastModified">When, by the database's clock.</param>
public sealed record PutResult(string Id, string Collection, long Position, string ChangeVector, DateTimeOffset LastModified);
