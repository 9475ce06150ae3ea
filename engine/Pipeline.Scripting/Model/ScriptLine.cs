namespace Pipeline.Scripting;

/// <summary>A line of a script on which statements begin.</summary>
/// <param name="Source">Name of the helper; <see langword="null"/> for the script itself.</param>
/// <param name="Line">The line in that text, from 1.</param>
/// <param name="IsCovered">Whether all of them have run.</param>
public readonly record struct ScriptLine(string? Source, int Line, bool IsCovered);
