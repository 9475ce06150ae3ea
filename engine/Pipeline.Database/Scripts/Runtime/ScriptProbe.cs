using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>What scripts that are compiled for coverage call before each statement.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptProbe
{
    /// <summary>Notes that the statement begins.</summary>
    public static void Ran(int statement) => ScriptCoverage.Ran(statement);
}
