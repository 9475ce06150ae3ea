namespace Pipeline.Indexing;

/// <summary>A term of a phrase.</summary>
/// <param name="Term">The term's bytes.</param>
/// <param name="Position">
/// Its place in the phrase, from 0 on; places may be left out (a stop word) or shared (synonyms: both must be there).
/// </param>
public readonly record struct PhraseTerm(ReadOnlyMemory<byte> Term, int Position);
