namespace Pipeline.Configuration.Testing;

/// <summary>How all cases came out.</summary>
/// <param name="File">The configuration file.</param>
/// <param name="Tasks">The tasks in the file's order; those that were asked for.</param>
public sealed record TestReport(string File, IReadOnlyList<TaskTestResult> Tasks)
{
    /// <summary>
    /// The helpers that the tasks share, those that have lines to run; empty where only one task was asked for, whose
    /// cases need not run them all.
    /// </summary>
    public IReadOnlyList<HelperTestResult> Helpers { get; init; } = [];

    /// <summary>Cases that were run.</summary>
    public int Cases => Tasks.Sum(t => t.Cases.Count);

    /// <summary>Cases that failed.</summary>
    public int Failed => Tasks.Sum(t => t.Cases.Count(c => !c.Passed));

    /// <summary>The tasks whose lines are not measured, by name.</summary>
    public IReadOnlyList<string> NotMeasured => [.. Tasks.Where(t => !t.HasCoverage).Select(t => t.Task)];

    /// <summary>Covered lines of all measured scripts and helpers in percent, including tasks without cases;
    /// <see langword="null"/> if nothing is measured.</summary>
    public double? Coverage
    {
        get
        {
            if (Tasks.Count > 0 && Tasks.All(t => !t.HasCoverage))
                return null;
            var lines = Tasks.Sum(t => t.Lines) + Helpers.Sum(h => h.Lines);
            return lines == 0
                ? 100
                : 100.0 * (Tasks.Sum(t => t.CoveredLines) + Helpers.Sum(h => h.CoveredLines)) / lines;
        }
    }
}
