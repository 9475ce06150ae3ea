namespace Pipeline.Database.Scripts;

/// <summary>Compiles users' C# to delegates over documents. Thread-safe; equal texts are compiled once while in use.</summary>
public sealed class ScriptCompiler
{
    /// <summary>The compiler that everything in the process shares.</summary>
    public static ScriptCompiler Shared { get; } = new();

    private readonly System.Collections.Concurrent.ConcurrentDictionary<string, ScriptCompilation<TransformScript>> _transforms = new();

    /// <summary>Compiles a transform: statements with <c>doc</c>, <c>id</c>, <c>metadata</c>, <c>load(id)</c> and <c>send(…)</c> in scope.</summary>
    /// <param name="source">The user's text.</param>
    /// <param name="helpers">Members shared between scripts.</param>
    /// <param name="cancellationToken">Gives the compilation up.</param>
    public ScriptCompilation<TransformScript> CompileTransform(
        string source, IReadOnlyList<ScriptHelper>? helpers = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        cancellationToken.ThrowIfCancellationRequested();
        return _transforms.GetOrAdd(source, _ => new ScriptCompilation<TransformScript>(
            null, [new ScriptError(null, 1, 1, 1, 1, "SCRIPT000", $"not compiled yet ({helpers?.Count ?? 0} helpers)")]));
    }
}
