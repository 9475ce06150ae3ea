using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>Scripts that are compiled for coverage call this before each statement.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptProbe
{
    /// <summary>Notes that the statement begins.</summary>
    public static void Ran(int statement) => ScriptCoverage.Ran(statement);
}
