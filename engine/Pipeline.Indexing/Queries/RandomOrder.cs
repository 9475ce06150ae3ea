namespace Pipeline.Indexing;

/// <summary>An order that looks random and is the same for the same seed and snapshot.</summary>
/// <param name="Seed">The seed.</param>
public sealed record RandomOrder(long Seed) : SearchOrder(Descending: false);
