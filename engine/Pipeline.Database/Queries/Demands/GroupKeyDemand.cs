namespace Pipeline.Database.Queries.Demands;

/// <summary>A key by which a query groups.</summary>
/// <param name="Path">The path in the document, without alias.</param>
/// <param name="IsWholeArray">
/// Whether all values of the path together are one key: <c>array(Lines[].Product)</c>.
/// </param>
public sealed record GroupKeyDemand(string Path, bool IsWholeArray);
