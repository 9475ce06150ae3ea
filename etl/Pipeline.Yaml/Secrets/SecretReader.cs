using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Pipeline.Storage;
using Pipeline.Yaml.Files;

namespace Pipeline.Yaml.Secrets;

/// <summary>
/// Reads <c>${file:…}</c> and <c>${command:…}</c>, each once. Not thread-safe; a new instance reads again.
/// </summary>
internal sealed class SecretReader(
    string baseDirectory,
    SecretsConfiguration? settings,
    SecretSources sources = SecretSources.FilesAndCommands
)
{
    /// <summary>Largest secret, in bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    private static readonly UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false,
        throwOnInvalidBytes: true
    );
    private readonly Dictionary<string, string> _read = new(StringComparer.Ordinal);

    /// <summary>Whether a reference such as <c>file:/run/secret</c> is one of these.</summary>
    public static bool IsKind(string kind) => kind is "file" or "command";

    /// <summary>
    /// Whether a reference is left open here instead of being read. One that is written wrong is a fault all the same.
    /// </summary>
    public bool Withholds(string kind, string name) =>
        kind == "command"
            ? HasCommand && sources != SecretSources.FilesAndCommands
            : sources == SecretSources.OwnFiles
                && name.Length > 0
                && !name.Contains('\0', StringComparison.Ordinal)
                && !ContainedPath.IsWithin(baseDirectory, Path.GetFullPath(name, baseDirectory));

    private bool HasCommand => settings is { Command: [{ Length: > 0 }, ..] };

    /// <summary>
    /// Reads a secret without its trailing line ends. On failure returns <see langword="null"/> with the fault and the
    /// remedy; neither contains any part of a secret.
    /// </summary>
    public string? Read(string kind, string name, out string fault, out string? suggestion)
    {
        (fault, suggestion) = ("", null);
        var key = $"{kind}:{name}";
        if (_read.TryGetValue(key, out var known))
            return known;
        var value =
            kind == "file"
                ? ReadFile(name, baseDirectory, out fault, out suggestion)
                : Run(name, out fault, out suggestion);
        if (value is not null)
            _read[key] = value;
        return value;
    }

    /// <inheritdoc cref="Read"/>
    public static string? ReadFile(string name, string baseDirectory, out string fault, out string? suggestion)
    {
        (fault, suggestion) = ("", null);
        if (name.Length == 0)
        {
            (fault, suggestion) = ("${file:} names no file", "write ${file:/run/secrets/password}");
            return null;
        }

        try
        {
            var path = Path.GetFullPath(name, baseDirectory);
            using var stream = RegularFile.OpenRead(path);
            var bytes = new byte[MaxBytes + 1];
            var length = stream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            if (length > MaxBytes)
            {
                fault = $"the secret file '{name}' has more than {MaxBytes} bytes (MaxBytes)";
                return null;
            }

            return Strict.GetString(bytes, 0, length).TrimEnd('\r', '\n');
        }
        catch (DecoderFallbackException)
        {
            fault = $"the secret file '{name}' is not UTF-8";
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            (fault, suggestion) = (
                $"there is no secret file '{name}'",
                "create it, or correct the path; a relative path starts at this file's folder"
            );
        }
        catch (Exception e)
            when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            fault = $"the secret file '{name}' cannot be read: {e.Message.TrimEnd('.')}";
        }

        return null;
    }

    private string? Run(string name, out string fault, out string? suggestion)
    {
        (fault, suggestion) = ("", null);
        if (!HasCommand)
        {
            (fault, suggestion) = (
                $"there is no command for ${{command:{name}}}",
                "add it: secrets: { command: [program, argument] }"
            );
            return null;
        }

        string[] words = [.. settings!.Command.Select(w => w.Replace("{name}", name, StringComparison.Ordinal))];
        var start = new ProcessStartInfo(words[0], words.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            WorkingDirectory = baseDirectory,
        };
        if (!settings.Command.Any(w => w.Contains("{name}", StringComparison.Ordinal)))
            start.ArgumentList.Add(name);
        try
        {
            using var process = Process.Start(start)!;
            process.StandardInput.Close();
            return Finish(process, name, out fault);
        }
        catch (Exception e) when (e is Win32Exception or InvalidOperationException or IOException)
        {
            fault = $"the command for ${{command:{name}}} cannot be started: {e.Message.TrimEnd('.')}";
            return null;
        }
    }

    private string? Finish(Process process, string name, out string fault)
    {
        fault = "";
        using var late = new CancellationTokenSource(settings!.Timeout);
        using var output = new MemoryStream();
        try
        {
            using var kill = late.Token.Register(() => process.Kill(entireProcessTree: true));
            var buffer = new byte[4096];
            int length;
            while (
                output.Length <= MaxBytes
                && (length = ReadSome(process.StandardOutput.BaseStream, buffer, late.Token)) > 0
            )
            {
                output.Write(buffer, 0, length);
            }

            if (output.Length > MaxBytes)
            {
                process.Kill(entireProcessTree: true);
                fault = $"the command for ${{command:{name}}} printed more than {MaxBytes} bytes (MaxBytes)";
                return null;
            }

            process.WaitForExit();
            if (late.IsCancellationRequested)
            {
                fault =
                    $"the command for ${{command:{name}}} took longer than secrets.timeout = {Quantities.FormatDuration(settings.Timeout)}";
                return null;
            }

            if (process.ExitCode == 0)
                return Strict.GetString(output.GetBuffer(), 0, (int)output.Length).TrimEnd('\r', '\n');
            fault = string.Create(
                CultureInfo.InvariantCulture,
                $"the command for ${{command:{name}}} ended with exit code {process.ExitCode}"
            );
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested)
        {
            // A process that the command left behind may hold its output open: killing the command does not end that.
            fault =
                $"the command for ${{command:{name}}} took longer than secrets.timeout = {Quantities.FormatDuration(settings.Timeout)}";
        }
        catch (DecoderFallbackException)
        {
            fault = $"what the command for ${{command:{name}}} printed is not UTF-8";
        }

        return null;
    }

    /// <summary>Reads until the token is cancelled, even if another process holds the other end.</summary>
    private static int ReadSome(Stream output, byte[] buffer, CancellationToken cancellationToken) =>
        output.ReadAsync(buffer, cancellationToken).AsTask().WaitAsync(cancellationToken).GetAwaiter().GetResult();
}
