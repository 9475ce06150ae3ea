namespace Pipeline.Indexing.Suggestions;

/// <summary>A term that is suggested for a word.</summary>
/// <param name="Term">The term.</param>
/// <param name="Similarity">Its similarity with the word, from 0 to 1.</param>
/// <param name="Popularity">How many entries have it.</param>
public readonly record struct Suggestion(string Term, float Similarity, int Popularity);
