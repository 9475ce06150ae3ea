using Pipeline.Database.Scripts.Runtime;

namespace Pipeline.Database.Scripts;

/// <summary>What one run of a script works on. Reused from run to run, which keeps the buffers; used by one thread at a time.</summary>
public sealed class ScriptContext
{
    private TransformScript? _script;
    private TransformProgram? _program;

    /// <summary>Creates a context that sends to <paramref name="output"/>.</summary>
    public ScriptContext(IScriptOutput output, IScriptDocuments? documents = null, ScriptLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(output);
        Output = output;
        Documents = documents;
        Limits = limits ?? ScriptLimits.Default;
    }

    /// <summary>Where messages go.</summary>
    public IScriptOutput Output { get; set; }

    /// <summary>What <c>load</c> reads; <see langword="null"/>: it finds nothing.</summary>
    public IScriptDocuments? Documents { get; set; }

    /// <summary>What each run may use.</summary>
    public ScriptLimits Limits { get; set; }

    /// <summary>The document in hand; set before each run.</summary>
    public ScriptDocument Document { get; set; }

    internal TransformProgram Program(TransformScript script, Func<object> create)
    {
        if (!ReferenceEquals(script, _script))
        {
            _program = (TransformProgram)create();
            _script = script;
        }

        return _program!;
    }
}
