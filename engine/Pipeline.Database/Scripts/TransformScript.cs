using System.Globalization;
using Pipeline.Database.Scripts.Compilation;

namespace Pipeline.Database.Scripts;

/// <summary>A compiled transform. Thread-safe: any number of threads run it, each with its own <see cref="ScriptContext"/>.</summary>
public sealed class TransformScript
{
    private readonly ScriptAssembly _assembly;

    internal TransformScript(string source, ScriptAssembly assembly)
    {
        Source = source;
        _assembly = assembly;
    }

    /// <summary>The user's text.</summary>
    public string Source { get; }

    /// <summary>Which lines have run; <see langword="null"/> unless it was compiled for that.</summary>
    public ScriptCoverage? Coverage { get; internal init; }

    internal Type ProgramType => _assembly.Create.Method.DeclaringType!;

    /// <summary>Runs the script over the context's document; its messages go to the context's output as it sends them.</summary>
    /// <remarks>Numbers and dates are formatted invariantly, whatever the thread's culture is.</remarks>
    /// <exception cref="ScriptRuntimeException">The script threw; messages that it sent before have been given to the output.</exception>
    /// <exception cref="ScriptLimitException">It went over a limit.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Run(ScriptContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        cancellationToken.ThrowIfCancellationRequested();
        var program = context.Program(this, _assembly.Create);
        var culture = CultureInfo.CurrentCulture;
        var foreign = !ReferenceEquals(culture, CultureInfo.InvariantCulture);
        if (foreign)
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        if (Coverage is not null)
            ScriptCoverage.Enter(Coverage);
        try
        {
            program.Run(context, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            throw _assembly.Locate(e);
        }
        finally
        {
            if (Coverage is not null)
                ScriptCoverage.Enter(null);
            if (foreign)
                CultureInfo.CurrentCulture = culture;
        }
    }
}
