using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>A compiled patch. Thread-safe.</summary>
public abstract class PatchScript
{
    internal PatchScript(string source) => Source = source;

    /// <summary>The user's text.</summary>
    public string Source { get; }

    /// <summary>Runs the script over a document.</summary>
    /// <param name="run">Its inputs.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    /// <exception cref="ScriptLimitException">It went over a limit.</exception>
    public PatchOutcome Run(PatchRun run, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(run);
        cancellationToken.ThrowIfCancellationRequested();
        return Execute(run, cancellationToken);
    }

    internal abstract PatchOutcome Execute(PatchRun run, CancellationToken cancellationToken);
}
