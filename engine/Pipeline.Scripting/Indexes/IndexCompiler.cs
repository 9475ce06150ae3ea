using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Scripting.Compilation;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Indexes;

/// <summary>
/// Compiles index definitions. Thread-safe; equal definitions are compiled once as long as the result is in use.
/// </summary>
/// <remarks>The language, the allow-list and the values are those of <see cref="ScriptCompiler"/>.</remarks>
public sealed class IndexCompiler
{
    /// <summary>The most maps of one index.</summary>
    public const int MaxMaps = 256;

    private readonly ConcurrentDictionary<string, WeakReference<IndexScript>> _scripts = new(StringComparer.Ordinal);

    /// <summary>The compiler that everything in the process shares.</summary>
    public static IndexCompiler Shared { get; } = new();

    /// <summary>Compiles a definition.</summary>
    /// <param name="source">The user's text.</param>
    /// <param name="cancellationToken">Gives the compilation up.</param>
    /// <returns>The index, or all errors; an error's source is <c>map</c>, <c>map 2</c> or <c>reduce</c>.</returns>
    public ScriptCompilation<IndexScript> Compile(IndexSource source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (source.Maps is not { Count: > 0 and <= MaxMaps })
        {
            return new ScriptCompilation<IndexScript>(
                null,
                [
                    new ScriptError(
                        "map",
                        1,
                        1,
                        1,
                        1,
                        "SCRIPT010",
                        $"an index has 1 to {MaxMaps} maps, this one has {source.Maps?.Count ?? 0}"
                    ),
                ]
            );
        }

        if (string.IsNullOrWhiteSpace(source.Reduce))
            source = source with { Reduce = null };
        var hash = Hash(source);
        if (_scripts.TryGetValue(hash, out var reference) && reference.TryGetTarget(out var known))
            return new ScriptCompilation<IndexScript>(known, []);
        var unit = new IndexCompilationUnit(source, cancellationToken);
        var (assembly, errors) = unit.Compile();
        if (assembly is null)
            return new ScriptCompilation<IndexScript>(null, errors);
        var script = new IndexScript(source, hash, assembly, unit.Shape!);
        foreach (var (old, _) in _scripts.Where(t => !t.Value.TryGetTarget(out _)))
            _scripts.TryRemove(old, out _);
        _scripts[hash] = new WeakReference<IndexScript>(script);
        return new ScriptCompilation<IndexScript>(script, []);
    }

    private static string Hash(IndexSource source)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var part in source.Maps.Append(source.Reduce ?? ""))
        {
            hash.AppendData(BitConverter.GetBytes(part.Length));
            hash.AppendData(Encoding.Unicode.GetBytes(part));
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }
}
