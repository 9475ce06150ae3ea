using System.Globalization;
using Pipeline.Scripting.Compilation;

namespace Pipeline.Scripting;

/// <summary>A transform in C#, compiled to a separate assembly.</summary>
internal sealed class CSharpTransform(string source, ScriptAssembly assembly) : TransformScript(source)
{
    internal Type ProgramType => assembly.ProgramType;

    protected override void Execute(ScriptContext context, CancellationToken cancellationToken)
    {
        var program = context.Program(this, assembly.Create);
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
            throw assembly.Locate(e, context.Documents);
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
