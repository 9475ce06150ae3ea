using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// The references for compiling scripts: the assemblies of the running framework that hold the allowed types, and this
/// one.
/// </summary>
internal static class ScriptReferences
{
    private static readonly string[] Facades = ["System.Runtime", "System.Collections", "System.Linq", "System.Memory"];

    private static readonly Lazy<MetadataReference[]> Loaded = new(Load, LazyThreadSafetyMode.ExecutionAndPublication);

    public static MetadataReference[] All => Loaded.Value;

    private static MetadataReference[] Load()
    {
        var assemblies = new HashSet<Assembly>
        {
            typeof(object).Assembly,
            typeof(Enumerable).Assembly,
            typeof(HashSet<>).Assembly,
            typeof(SortedSet<>).Assembly,
            typeof(System.Text.RegularExpressions.Regex).Assembly,
            typeof(System.Collections.Immutable.ImmutableArray).Assembly,
            typeof(System.Security.Cryptography.SHA256).Assembly,
            typeof(Uri).Assembly,
            typeof(System.Net.WebUtility).Assembly,
            typeof(System.Numerics.BigInteger).Assembly,
            typeof(ScriptReferences).Assembly,
        };
        foreach (var name in Facades)
            assemblies.Add(Assembly.Load(new AssemblyName(name)));
        return [.. assemblies.Select(Reference)];
    }

    private static MetadataReference Reference(Assembly assembly)
    {
#pragma warning disable IL3000 // Empty in a single file that does not unpack itself; the error below says what to do.
        var path = assembly.Location;
#pragma warning restore IL3000
        if (path.Length == 0)
        {
            throw new NotSupportedException(
                $"Scripts need {assembly.GetName().Name}.dll as a file: publish with IncludeAllContentForSelfExtract=true or not as a single file."
            );
        }

        return MetadataReference.CreateFromFile(path);
    }
}
