namespace Pipeline.Etl.Testing;

/// <summary>How all cases came out.</summary>
/// <param name="File">The configuration file.</param>
/// <param name="Tasks">The tasks in the file's order; those that were asked for.</param>
public sealed record TestReport(string File, IReadOnlyList<TaskTestResult> Tasks)
{
    /// <summary>Cases that were run.</summary>
    public int Cases => Tasks.Sum(t => t.Cases.Count);

    /// <summary>Cases that failed.</summary>
    public int Failed => Tasks.Sum(t => t.Cases.Count(c => !c.Passed));

    /// <summary>Covered lines of all scripts in percent, those of tasks without cases included.</summary>
    public double Coverage => Tasks.Sum(t => t.Lines) is 0 ? 100 : 100.0 * Tasks.Sum(t => t.CoveredLines) / Tasks.Sum(t => t.Lines);
}
