using System.Diagnostics;
using Xunit;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>A small file system in memory, gone at the end.</summary>
internal sealed class SmallDisk : IDisposable
{
    private SmallDisk(string folder) => Folder = folder;

    public string Folder { get; }

    /// <summary>Mounts one.</summary>
    /// <exception cref="SkipException">
    /// This user, or this machine, may not: also in CI no fault of the tests.
    /// </exception>
    public static SmallDisk Mount(int megabytes)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-disk-").FullName;
        if (TryRun("mount", ["-t", "tmpfs", "-o", $"size={megabytes}m", "pipeline", folder], out var error))
            return new SmallDisk(folder);
        Directory.Delete(folder);
        throw new SkipException($"no small file system can be mounted here, which needs root on Linux: {error}");
    }

    /// <summary>Makes it larger.</summary>
    public void Grow(int megabytes)
    {
        if (!TryRun("mount", ["-o", $"remount,size={megabytes}m", Folder], out var error))
            throw new InvalidOperationException(error);
    }

    public void Dispose()
    {
        if (!TryRun("umount", [Folder], out var error))
            throw new InvalidOperationException(error);
        Directory.Delete(Folder);
    }

    private static bool TryRun(string program, string[] arguments, out string error)
    {
        try
        {
            using var process = Process.Start(
                new ProcessStartInfo(program, arguments) { RedirectStandardError = true }
            )!;
            error = process.StandardError.ReadToEnd().Trim();
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            error = e.Message;
            return false;
        }
    }
}
