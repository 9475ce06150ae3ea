namespace Pipeline.Database.Scripts;

/// <summary>A compiled transform. Thread-safe: any number of threads run it, each with its own <see cref="ScriptContext"/>.</summary>
public sealed class TransformScript
{
    internal TransformScript(string source, Action<ScriptContext, CancellationToken> run)
    {
        Source = source;
        _run = run;
    }

    private readonly Action<ScriptContext, CancellationToken> _run;

    /// <summary>The user's text.</summary>
    public string Source { get; }

    /// <summary>Runs the script over the context's document; its messages go to the context's output as it sends them.</summary>
    /// <exception cref="ScriptRuntimeException">The script threw; messages that it sent before have been given to the output.</exception>
    /// <exception cref="ScriptLimitException">It went over a limit.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Run(ScriptContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        _run(context, cancellationToken);
    }
}
