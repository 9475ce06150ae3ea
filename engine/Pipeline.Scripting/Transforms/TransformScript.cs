namespace Pipeline.Scripting;

/// <summary>
/// A compiled transform. Thread-safe: any number of threads run it, each with its own <see cref="ScriptContext"/>.
/// </summary>
public abstract class TransformScript
{
    /// <summary>Creates one.</summary>
    /// <param name="source">The script's text, or the name of its class.</param>
    protected TransformScript(string source) => Source = source;

    /// <summary>The user's text; the class's name for a class of the program.</summary>
    public string Source { get; }

    /// <summary>
    /// Which lines have run; <see langword="null"/> unless it was compiled for that, which JavaScript cannot be.
    /// </summary>
    public ScriptCoverage? Coverage { get; internal init; }

    /// <summary>
    /// Runs the script over the context's document; its messages go to the context's output as it sends them.
    /// </summary>
    /// <remarks>Numbers and dates are formatted invariantly, whatever the thread's culture is.</remarks>
    /// <exception cref="ScriptRuntimeException">
    /// The script threw; messages that it sent before have been given to the output.
    /// </exception>
    /// <exception cref="ScriptLimitException">It went over a limit.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Run(ScriptContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        cancellationToken.ThrowIfCancellationRequested();
        Execute(context, cancellationToken);
    }

    /// <summary>Runs it.</summary>
    /// <inheritdoc cref="Run"/>
    protected abstract void Execute(ScriptContext context, CancellationToken cancellationToken);
}
