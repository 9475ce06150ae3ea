namespace Pipeline.Configuration.Testing;

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
