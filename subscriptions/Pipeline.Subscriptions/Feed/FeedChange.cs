using Pipeline.Database.Scripts;

namespace Pipeline.Subscriptions;

/// <summary>One change: the document as it is in the snapshot, or its deletion. Valid until the snapshot it came from is disposed.</summary>
/// <param name="Position">The change's position.</param>
/// <param name="Document">The document, or its deletion.</param>
/// <param name="Bytes">Its size in the database.</param>
public readonly record struct FeedChange(long Position, ScriptDocument Document, int Bytes);
