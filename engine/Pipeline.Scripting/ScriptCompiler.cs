using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Scripting.Compilation;

namespace Pipeline.Scripting;

/// <summary>
/// Compiles users' C# to delegates over documents. Thread-safe; equal texts are compiled once as long as the script is
/// in use.
/// </summary>
/// <remarks>
/// Scripts see plain C# 13, an allow-list of .NET's types, and document values on which a missing property is null and
/// not an error. The framework's and this assembly must exist as files, so a published single-file program has to
/// extract them.
/// </remarks>
public sealed class ScriptCompiler
{
    private readonly ConcurrentDictionary<string, WeakReference<TransformScript>> _transforms = new(
        StringComparer.Ordinal
    );

    /// <summary>The compiler that everything in the process shares.</summary>
    public static ScriptCompiler Shared { get; } = new();

    /// <summary>
    /// Compiles a transform: statements with <c>doc</c>, <c>id</c>, <c>metadata</c>, <c>load(id)</c> and <c>send(…)</c>
    /// in scope.
    /// </summary>
    /// <param name="source">The user's text.</param>
    /// <param name="helpers">Members shared between scripts.</param>
    /// <param name="cancellationToken">Gives the compilation up.</param>
    public ScriptCompilation<TransformScript> CompileTransform(
        string source,
        IReadOnlyList<ScriptHelper>? helpers = null,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(source);
        helpers ??= [];
        var key = Key(source, helpers);
        if (_transforms.TryGetValue(key, out var reference) && reference.TryGetTarget(out var known))
            return new ScriptCompilation<TransformScript>(known, []);
        var (assembly, errors) = new TransformCompilationUnit(source, helpers, cancellationToken).Compile();
        if (assembly is null)
            return new ScriptCompilation<TransformScript>(null, errors);
        var script = new CSharpTransform(source, assembly);
        foreach (var (old, _) in _transforms.Where(t => !t.Value.TryGetTarget(out _)))
            _transforms.TryRemove(old, out _);
        _transforms[key] = new WeakReference<TransformScript>(script);
        return new ScriptCompilation<TransformScript>(script, []);
    }

    /// <summary>As <see cref="CompileTransform"/>, for a script whose <see cref="TransformScript.Coverage"/> records
    /// the lines that ran: for tests, because it costs time. Each call compiles again.</summary>
    /// <inheritdoc cref="CompileTransform"/>
    public static ScriptCompilation<TransformScript> CompileWithCoverage(
        string source,
        IReadOnlyList<ScriptHelper>? helpers = null,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(source);
        var unit = new TransformCompilationUnit(source, helpers ?? [], cancellationToken, covers: true);
        var (assembly, errors) = unit.Compile();
        return new ScriptCompilation<TransformScript>(
            assembly is null
                ? null
                : new CSharpTransform(source, assembly) { Coverage = new ScriptCoverage(unit.Statements) },
            errors
        );
    }

    private static string Key(string source, IReadOnlyList<ScriptHelper> helpers)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var part in helpers.SelectMany(h => new[] { h.Name, h.Source }).Prepend(source))
        {
            hash.AppendData(BitConverter.GetBytes(part.Length));
            hash.AppendData(Encoding.Unicode.GetBytes(part));
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }
}
