using Pipeline.Scripting;

namespace Pipeline.Subscriptions;

/// <summary>
/// A change: the document's state in the snapshot, or its deletion. Valid until its snapshot is disposed.
/// </summary>
/// <param name="Position">The change's position.</param>
/// <param name="Document">The document, or its deletion.</param>
/// <param name="Bytes">Its size in the database.</param>
public readonly record struct FeedChange(long Position, ScriptDocument Document, int Bytes);
