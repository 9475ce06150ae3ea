using System.Security.Cryptography;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Yaml.Files;

/// <summary>The file's bytes to text, and its faults to a list.</summary>
internal static class ConfigurationFile
{
    private static readonly UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false,
        throwOnInvalidBytes: true
    );

    /// <summary>The file's text, or <see langword="null"/> with the reason in the list.</summary>
    public static string? Read(string path, List<Diagnostic> diagnostics) => Read(path, diagnostics, out _);

    /// <inheritdoc cref="Read(string, List{Diagnostic})"/>
    /// <param name="path">The file.</param>
    /// <param name="diagnostics">Takes the reason.</param>
    /// <param name="hash">SHA-256 of its bytes, in hexadecimal.</param>
    public static string? Read(string path, List<Diagnostic> diagnostics, out string? hash)
    {
        hash = null;
        try
        {
            using var stream = RegularFile.OpenRead(path);
            using var bytes = new MemoryStream();
            // A device has no length and delivers bytes without end.
            var buffer = new byte[16 * 1024];
            int length;
            while (bytes.Length <= ConfigurationLimits.MaxFileBytes && (length = stream.Read(buffer)) > 0)
                bytes.Write(buffer, 0, length);
            if (bytes.Length > ConfigurationLimits.MaxFileBytes)
            {
                diagnostics.Add(
                    new Diagnostic(
                        path,
                        1,
                        1,
                        $"the file has {Math.Max(stream.Length, bytes.Length)} bytes, the most is {ConfigurationLimits.MaxFileBytes} (MaxFileBytes)"
                    )
                );
                return null;
            }

            bytes.Position = 0;
            hash = Convert.ToHexString(SHA256.HashData(bytes));
            bytes.Position = 0;
            using var reader = new StreamReader(bytes, Strict);
            var text = reader.ReadToEnd();
            if (!text.Contains('\0', StringComparison.Ordinal))
                return text;
            diagnostics.Add(new Diagnostic(path, 1, 1, "the file has zero bytes, as UTF-16 has", "save it as UTF-8"));
        }
        catch (DecoderFallbackException)
        {
            diagnostics.Add(new Diagnostic(path, 1, 1, "the file is not UTF-8", "save it as UTF-8"));
        }
        catch (Exception e) when ((e is IOException or UnauthorizedAccessException) && Directory.Exists(path))
        {
            diagnostics.Add(new Diagnostic(path, 1, 1, "this is a folder", "name the file in it with --config FILE"));
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            diagnostics.Add(new Diagnostic(path, 1, 1, "there is no such file", "name the file with --config FILE"));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            diagnostics.Add(new Diagnostic(path, 1, 1, $"the file cannot be read: {e.Message.TrimEnd('.')}"));
        }

        return null;
    }

    /// <summary>The faults in the order of their places, no more than the limit.</summary>
    public static IReadOnlyList<Diagnostic> Order(List<Diagnostic> diagnostics)
    {
        Diagnostic[] all = [.. diagnostics.OrderBy(d => d.Line).ThenBy(d => d.Column).Distinct()];
        if (all.Length <= ConfigurationLimits.MaxDiagnostics)
            return all;
        var last = all[ConfigurationLimits.MaxDiagnostics - 1];
        var left = all.Length - ConfigurationLimits.MaxDiagnostics;
        return
        [
            .. all[..ConfigurationLimits.MaxDiagnostics],
            last with
            {
                Message = $"{left} more faults are not shown (MaxDiagnostics)",
                Suggestion = null,
            },
        ];
    }
}
