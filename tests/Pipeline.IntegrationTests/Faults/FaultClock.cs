using System.Buffers.Binary;
using System.Diagnostics;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>
/// The time of day that a process of .NET sees. It can jump while the process runs; the clock that measures durations
/// stays right.
/// </summary>
internal sealed class FaultClock
{
    private static readonly Lazy<string?> Library = new(Compile);
    private readonly string _file;

    /// <summary>Creates a clock that is right.</summary>
    /// <param name="file">Where it is kept.</param>
    public FaultClock(string file)
    {
        _file = file;
        Jump(TimeSpan.Zero);
    }

    /// <summary>Why no clock can be changed; null if one can.</summary>
    public static string? Missing => Library.Value is null ? "there is no C compiler for clock.c" : null;

    /// <summary>The variables that give a process this clock.</summary>
    public IReadOnlyDictionary<string, string> Variables =>
        Library.Value is { } library
            ? new Dictionary<string, string> { ["LD_PRELOAD"] = library, ["PIPELINE_FAULT_CLOCK"] = _file }
            : new Dictionary<string, string>();

    /// <summary>Sets how far the clock is ahead.</summary>
    public void Jump(TimeSpan ahead)
    {
        Span<byte> seconds = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(seconds, (long)ahead.TotalSeconds);
        using var file = new FileStream(_file, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite, 0);
        file.Write(seconds);
    }

    private static string? Compile()
    {
        var compiler = LocalInstallation.FindProgram("gcc") ?? LocalInstallation.FindProgram("clang");
        if (compiler is null || !OperatingSystem.IsLinux())
            return null;
        var source = Path.Combine(RepositoryTree.Root, "tests", "Pipeline.IntegrationTests", "Faults", "clock.c");
        var library = Path.Combine(AppContext.BaseDirectory, "clock.so");
        // Another run may use the library already: it is replaced as a whole.
        var made = $"{library}.{Environment.ProcessId}";
        using var process = Process.Start(compiler, ["-O2", "-shared", "-fPIC", "-o", made, source, "-ldl"]);
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new InvalidOperationException($"{compiler} ended with {process.ExitCode} for {source}");
        File.Move(made, library, overwrite: true);
        return library;
    }
}
