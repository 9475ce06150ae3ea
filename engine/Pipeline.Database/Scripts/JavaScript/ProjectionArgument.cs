using Pipeline.Database.Json;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>What a name stands for in one run of a projection.</summary>
/// <param name="Document">A whole document; null for a value.</param>
/// <param name="Value">The value, where it is no document.</param>
public readonly record struct ProjectionArgument(ScriptDocument? Document, BinaryJson Value);
