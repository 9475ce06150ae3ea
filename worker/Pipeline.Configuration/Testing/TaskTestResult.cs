namespace Pipeline.Configuration.Testing;

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
