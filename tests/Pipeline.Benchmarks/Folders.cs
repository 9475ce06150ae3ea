using System.Diagnostics;
using System.Globalization;

namespace Pipeline.Benchmarks;

/// <summary>Folders for the data of a run.</summary>
public static class Folders
{
    /// <summary>Makes an empty folder and syncs its file system, so that no earlier write disturbs the clock.</summary>
    public static void Wipe(string folder)
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        Directory.CreateDirectory(folder);
        Run("sync", "-f", folder);
    }

    /// <summary>Bytes that the file system has allocated to the files below a folder.</summary>
    public static long AllocatedBytes(string folder)
    {
        var answer = Run("du", "-s", "-B1", folder);
        return long.Parse(answer.Split('\t')[0], CultureInfo.InvariantCulture);
    }

    private static string Run(string program, params string[] arguments)
    {
        using var process =
            Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })
            ?? throw new BenchmarkException($"{program} cannot be started");
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? output
            : throw new BenchmarkException($"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}");
    }
}
