namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Compiles users' JavaScript; implemented by the assembly Pipeline.JavaScript, which not every build has. Thread-safe.</summary>
public interface IJavaScriptCompiler
{
    /// <summary>Compiles a transform: statements with <c>this</c>, <c>loadTo…</c> and <c>load</c>.</summary>
    /// <param name="source">The user's text.</param>
    ScriptCompilation<TransformScript> CompileTransform(string source);

    /// <summary>Compiles a patch: statements that change <c>this</c>, with <c>args</c>, <c>put</c>, <c>del</c> and <c>load</c>.</summary>
    /// <param name="source">The user's text.</param>
    ScriptCompilation<PatchScript> CompilePatch(string source);

    /// <summary>Compiles a projection: statements that return an object.</summary>
    /// <param name="source">The text.</param>
    /// <param name="names">The names that each run gives values.</param>
    ScriptCompilation<ProjectionScript> CompileProjection(string source, IReadOnlyList<string> names);
}
