using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>The meaning of a name in one run of a projection.</summary>
/// <param name="Document">A whole document; null for a value.</param>
/// <param name="Value">The value, if it is not a document.</param>
public readonly record struct ProjectionArgument(ScriptDocument? Document, BinaryJson Value);
