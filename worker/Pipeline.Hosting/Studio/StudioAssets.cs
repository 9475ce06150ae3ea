using System.Reflection;
using System.Security.Cryptography;

namespace Pipeline.Hosting.Studio;

/// <summary>
/// The Studio's files, embedded in the program: <c>index.html</c> at <c>/</c>, the others below <c>/studio/</c>.
/// </summary>
internal static class StudioAssets
{
    private const string Prefix = "studio/";

    /// <summary>All files.</summary>
    public static IReadOnlyList<StudioAsset> All { get; } = [.. Read(Assembly.GetExecutingAssembly())];

    private static IEnumerable<StudioAsset> Read(Assembly assembly)
    {
        foreach (
            var name in assembly.GetManifestResourceNames().Where(n => n.StartsWith(Prefix, StringComparison.Ordinal))
        )
        {
            using var stream = assembly.GetManifestResourceStream(name)!;
            var bytes = new byte[stream.Length];
            stream.ReadExactly(bytes);
            yield return new StudioAsset(
                name == Prefix + "index.html" ? "/" : "/" + name,
                Path.GetExtension(name) switch
                {
                    ".html" => "text/html; charset=utf-8",
                    ".css" => "text/css; charset=utf-8",
                    _ => "text/javascript; charset=utf-8",
                },
                bytes,
                $"\"{Convert.ToHexStringLower(SHA256.HashData(bytes).AsSpan(0, 8))}\""
            );
        }
    }
}

/// <summary>A file of the Studio.</summary>
/// <param name="Path">Where it is served.</param>
/// <param name="ContentType">Its media type.</param>
/// <param name="Content">Its bytes.</param>
/// <param name="ETag">The ETag for browsers; it changes with the bytes.</param>
internal sealed record StudioAsset(string Path, string ContentType, ReadOnlyMemory<byte> Content, string ETag);
