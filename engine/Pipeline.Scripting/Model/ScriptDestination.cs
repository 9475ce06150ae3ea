namespace Pipeline.Scripting;

/// <summary>A destination that a script names.</summary>
/// <param name="Name">The name.</param>
/// <param name="Line">The line of the literal, from 1.</param>
/// <param name="Column">The column of the literal in UTF-16 units, from 1.</param>
public readonly record struct ScriptDestination(string Name, int Line, int Column);
