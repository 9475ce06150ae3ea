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

/// <summary>How the cases of one task came out, and how much of its script they ran.</summary>
/// <param name="Task">The task's name.</param>
/// <param name="Cases">Its cases, those that were asked for.</param>
/// <param name="CoveredLines">Lines of the script itself on which statements begin that have all run.</param>
/// <param name="Lines">Lines of the script on which statements begin.</param>
/// <param name="UncoveredLines">The lines of the configuration file that were not covered, in order.</param>
public sealed record TaskTestResult(
    string Task,
    IReadOnlyList<TestCaseResult> Cases,
    int CoveredLines,
    int Lines,
    IReadOnlyList<int> UncoveredLines
)
{
    /// <summary>Whether the lines are known: they are not of a script in JavaScript.</summary>
    public bool HasCoverage { get; init; } = true;

    /// <summary>Covered lines in percent; 100 if there are no lines.</summary>
    public double Coverage => Lines == 0 ? 100 : 100.0 * CoveredLines / Lines;
}

/// <summary>How one case came out.</summary>
/// <param name="Name">The case's name.</param>
/// <param name="File">The file that it is in.</param>
/// <param name="Line">Where it begins there, from 1.</param>
/// <param name="Column">The column, from 1.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Failure">
/// The differences, in lines: <c>-</c> marks expected ones and <c>+</c> actual ones. Empty if the case passed.
/// </param>
public sealed record TestCaseResult(
    string Name,
    string File,
    int Line,
    int Column,
    TimeSpan Duration,
    IReadOnlyList<string> Failure
)
{
    /// <summary>Whether it passed.</summary>
    public bool Passed => Failure.Count == 0;
}

/// <summary>How much of one of the <c>helpers</c> the cases of all tasks ran.</summary>
/// <param name="Helper">The helper's name.</param>
/// <param name="CoveredLines">Lines on which statements begin that have all run, with one task or another.</param>
/// <param name="Lines">Lines on which statements begin; a method that is one expression has none.</param>
/// <param name="UncoveredLines">The lines of the configuration file that were not covered, in order.</param>
public sealed record HelperTestResult(string Helper, int CoveredLines, int Lines, IReadOnlyList<int> UncoveredLines)
{
    /// <summary>Covered lines in percent; 100 if there are no lines.</summary>
    public double Coverage => Lines == 0 ? 100 : 100.0 * CoveredLines / Lines;
}
