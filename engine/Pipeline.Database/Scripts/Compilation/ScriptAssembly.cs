using System.Diagnostics;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Database.Scripts.Runtime;

namespace Pipeline.Database.Scripts.Compilation;

/// <summary>A compiled script in a load context of its own, which goes when nothing refers to the script any more.</summary>
internal sealed class ScriptAssembly
{
    private readonly Assembly _assembly;
    private readonly IReadOnlyDictionary<string, MappedText> _texts;

    public ScriptAssembly(Stream image, Stream symbols, IReadOnlyDictionary<string, MappedText> texts)
    {
        _texts = texts;
        var context = new AssemblyLoadContext("script", isCollectible: true);
        _assembly = context.LoadFromStream(image, symbols);
        Create = _assembly.GetType("PipelineScript.Script", throwOnError: true)!
            .GetMethod("Create", BindingFlags.Public | BindingFlags.Static)!
            .CreateDelegate<Func<TransformProgram>>();
    }

    public Func<TransformProgram> Create { get; }

    /// <summary>Says where in the user's text an exception came from: the innermost frame that is the script's.</summary>
    public Exception Locate(Exception exception)
    {
        var (source, line, column) = Place(exception);
        return exception switch
        {
            ScriptLimitException limit => new ScriptLimitException(limit.Limit, limit.Value, source, line, column),
            ScriptRuntimeException located => located,
            NullReferenceException => new ScriptRuntimeException("a value that is null (or a missing property) was used as an object", source, line, column, exception),
            _ => new ScriptRuntimeException(exception.Message, source, line, column, exception),
        };
    }

    private (string? Source, int Line, int Column) Place(Exception exception)
    {
        foreach (var frame in new StackTrace(exception, fNeedFileInfo: true).GetFrames())
        {
            if (frame.GetMethod()?.Module.Assembly != _assembly || frame.GetFileName() is not { } file || !_texts.TryGetValue(file, out var text))
                continue;
            var lines = SourceText.From(text.Text).Lines;
            var row = frame.GetFileLineNumber() - 1;
            if (row < 0 || row >= lines.Count)
                continue;
            var (line, column) = text.LineOf(text.ToUser(System.Math.Min(lines[row].Start + frame.GetFileColumnNumber() - 1, lines[row].End)));
            return (text.Name, line, column);
        }

        return (null, 0, 0);
    }
}
