namespace Pipeline.TestKit.Indexing;

/// <summary>
/// A token as tests compare it: the term as a string, the position increment, and the offsets in bytes.
/// </summary>
public sealed record AnalyzedToken(string Term, int Increment, int Start, int End);
