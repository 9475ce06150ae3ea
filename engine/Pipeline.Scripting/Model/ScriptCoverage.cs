namespace Pipeline.Scripting;

/// <summary>
/// Which statements of a script have run, over all its runs. Written by the threads that run the script; read when they
/// are done.
/// </summary>
public sealed class ScriptCoverage
{
    [ThreadStatic]
    private static ScriptCoverage? _current;

    private readonly IReadOnlyList<(string? Source, int Line)> _statements;
    private readonly bool[] _ran;

    internal ScriptCoverage(IReadOnlyList<(string? Source, int Line)> statements)
    {
        _statements = statements;
        _ran = new bool[statements.Count];
    }

    /// <summary>The lines on which statements begin, in order, those of helpers after the script's own; a line is
    /// covered when every statement that begins on it has run.</summary>
    public IReadOnlyList<ScriptLine> Lines =>
        [
            .. _statements
                .Select((s, i) => (s.Source, s.Line, Ran: _ran[i]))
                .GroupBy(s => (s.Source, s.Line))
                .Select(g => new ScriptLine(g.Key.Source, g.Key.Line, g.All(s => s.Ran)))
                .OrderBy(l => l.Source is not null)
                .ThenBy(l => l.Source, StringComparer.Ordinal)
                .ThenBy(l => l.Line),
        ];

    internal static void Enter(ScriptCoverage? coverage) => _current = coverage;

    internal static void Ran(int statement)
    {
        if (_current is { } current)
            current._ran[statement] = true;
    }
}

/// <summary>A line of a script on which statements begin.</summary>
/// <param name="Source">Name of the helper; <see langword="null"/> for the script itself.</param>
/// <param name="Line">The line in that text, from 1.</param>
/// <param name="IsCovered">Whether all of them have run.</param>
public readonly record struct ScriptLine(string? Source, int Line, bool IsCovered);
