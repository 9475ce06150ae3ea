namespace Pipeline.Configuration.Testing;

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
