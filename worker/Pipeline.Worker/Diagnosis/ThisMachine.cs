using System.Globalization;

namespace Pipeline.Worker.Diagnosis;

/// <summary>The machine that the program runs on; most answers are Linux's own (<c>/proc</c>).</summary>
internal sealed class ThisMachine : IMachine
{
    /// <inheritdoc/>
    public bool? HasSwap => ReadLines("/proc/swaps") is { } lines ? lines.Length > 1 : null;

    /// <inheritdoc/>
    public UnixFileMode? ModeOf(string path) =>
        OperatingSystem.IsWindows() || !Path.Exists(path) ? null : File.GetUnixFileMode(path);

    /// <inheritdoc/>
    public IReadOnlyList<string> List(string folder) =>
        Directory.Exists(folder) ? Directory.GetFileSystemEntries(folder) : [];

    /// <inheritdoc/>
    public DateTimeOffset? WrittenAt(string path) => File.Exists(path) ? File.GetLastWriteTimeUtc(path) : null;

    /// <inheritdoc/>
    public string? MountOf(string path)
    {
        if (ReadLines("/proc/self/mounts") is not { } lines)
            return null;
        var full = Path.GetFullPath(path);
        return lines
            .Select(l => l.Split(' '))
            .Where(w => w.Length > 1)
            .Select(w => w[1].Replace("\\040", " ", StringComparison.Ordinal))
            .Where(m => m == "/" || full == m || full.StartsWith(m + "/", StringComparison.Ordinal))
            .MaxBy(m => m.Length);
    }

    /// <inheritdoc/>
    public long? Limit(string name)
    {
        var line = ReadLines("/proc/self/limits")?.FirstOrDefault(l => l.StartsWith(name, StringComparison.Ordinal));
        var first = line?[name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        return first == "unlimited" ? long.MaxValue
            : long.TryParse(first, CultureInfo.InvariantCulture, out var value) ? value
            : null;
    }

    /// <inheritdoc/>
    public long? Kernel(string name) =>
        ReadLines("/proc/sys/" + name) is [var line, ..]
        && long.TryParse(line, CultureInfo.InvariantCulture, out var value)
            ? value
            : null;

    /// <inheritdoc/>
    public string? Variable(string name) => Environment.GetEnvironmentVariable(name);

    private static string[]? ReadLines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Another system, or a container that hides it: what cannot be known is not judged.
            return null;
        }
    }
}
