namespace Pipeline.Scripting.Runtime;

/// <summary>The C# of an index as its user wrote it.</summary>
/// <param name="Maps">One query over <c>docs</c>, or several.</param>
/// <param name="Reduce">A query over <c>results</c>; <see langword="null"/> if there is none.</param>
public sealed record IndexSource(IReadOnlyList<string> Maps, string? Reduce = null);
