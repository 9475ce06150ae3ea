using System.Diagnostics;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// A compiled script in a separate load context, which is unloaded when nothing refers to the script any more.
/// </summary>
internal sealed class ScriptAssembly
{
    private readonly Assembly _assembly;
    private readonly IReadOnlyDictionary<string, MappedText> _texts;
    private readonly MetadataReaderProvider _symbols;

    public ScriptAssembly(MemoryStream image, MemoryStream symbols, IReadOnlyDictionary<string, MappedText> texts)
    {
        _texts = texts;
        var context = new AssemblyLoadContext("script", isCollectible: true);
        _assembly = context.LoadFromStream(image);
        _symbols = MetadataReaderProvider.FromPortablePdbImage(
            ImmutableCollectionsMarshal.AsImmutableArray(symbols.ToArray())
        );
        var create = _assembly
            .GetType("PipelineScript.Script", throwOnError: true)!
            .GetMethod("Create", BindingFlags.Public | BindingFlags.Static)!
            .CreateDelegate<Func<object>>();
        ProgramType = create.Method.DeclaringType!;
        Create = () => Bounded(create);
    }

    /// <summary>The program's type, which goes with the script.</summary>
    public Type ProgramType { get; }

    /// <summary>
    /// Makes the script's program: a transform's or an index's. Its constants are computed within the default limits.
    /// </summary>
    public Func<object> Create { get; }

    /// <summary>
    /// Says where in the user's text an exception came from: the innermost frame that is the script's.
    /// </summary>
    public Exception Locate(Exception exception, IScriptDocuments? documents)
    {
        if (documents?.IsStoreFailure(exception) == true)
            return exception;
        var (source, line, column) = Place(exception);
        return exception switch
        {
            ScriptLimitException limit => new ScriptLimitException(limit.Limit, limit.Value, source, line, column),
            ScriptRuntimeException located => located,
            NullReferenceException => new ScriptRuntimeException(
                "a value that is null (or a missing property) was used as an object",
                source,
                line,
                column,
                exception
            ),
            _ => new ScriptRuntimeException(exception.Message, source, line, column, exception),
        };
    }

    private static object Bounded(Func<object> create)
    {
        var run = new ScriptGuard.Run();
        ScriptGuard.Begin(run, ScriptLimits.Default, CancellationToken.None);
        try
        {
            return create();
        }
        finally
        {
            ScriptGuard.End(run);
        }
    }

    private (string? Source, int Line, int Column) Place(Exception exception)
    {
        foreach (var frame in new StackTrace(exception, fNeedFileInfo: false).GetFrames())
        {
            if (frame.GetMethod() is not { } method || method.Module.Assembly != _assembly)
                continue;
            var reader = _symbols.GetMetadataReader();
            var handle = MetadataTokens.MethodDefinitionHandle(method.MetadataToken & 0xFFFFFF);
            SequencePoint? best = null;
            foreach (var point in reader.GetMethodDebugInformation(handle).GetSequencePoints())
            {
                if (!point.IsHidden && (best is null || point.Offset <= frame.GetILOffset()))
                    best = point;
            }

            if (
                best is not { } found
                || !_texts.TryGetValue(reader.GetString(reader.GetDocument(found.Document).Name), out var text)
            )
            {
                continue;
            }

            var lines = SourceText.From(text.Text).Lines;
            var row = System.Math.Clamp(found.StartLine - 1, 0, lines.Count - 1);
            var (line, column) = text.LineOf(
                text.ToUser(System.Math.Min(lines[row].Start + found.StartColumn - 1, lines[row].End))
            );
            return (text.Name, line, column);
        }

        return (null, 0, 0);
    }
}
