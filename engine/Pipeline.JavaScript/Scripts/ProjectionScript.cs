using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>A compiled projection, which computes a query's <c>select</c> for a result. Thread-safe.</summary>
public abstract class ProjectionScript
{
    internal ProjectionScript(string source) => Source = source;

    /// <summary>The text: statements that return the result.</summary>
    public string Source { get; }

    /// <summary>Makes a result.</summary>
    /// <param name="run">Its inputs.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    /// <returns>An object as JSON; null for no result.</returns>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    /// <exception cref="ScriptLimitException">It went over a limit.</exception>
    public byte[]? Run(ProjectionRun run, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(run);
        cancellationToken.ThrowIfCancellationRequested();
        return Execute(run, cancellationToken);
    }

    internal abstract byte[]? Execute(ProjectionRun run, CancellationToken cancellationToken);
}
