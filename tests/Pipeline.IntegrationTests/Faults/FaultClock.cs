using System.Globalization;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>
/// The time of day that a process sees. libfaketime adds an offset to it, which can change while the process runs; the
/// clock that measures durations stays right.
/// </summary>
internal sealed class FaultClock
{
    private static readonly string[] Folders =
    [
        "/usr/lib/x86_64-linux-gnu/faketime",
        "/usr/lib/aarch64-linux-gnu/faketime",
        "/usr/lib64/faketime",
    ];
    private static readonly string? Library = Folders
        .Select(f => Path.Combine(f, "libfaketimeMT.so.1"))
        .FirstOrDefault(File.Exists);
    private readonly string _file;

    /// <summary>Creates a clock that is right.</summary>
    /// <param name="file">Where its offset is kept.</param>
    public FaultClock(string file)
    {
        _file = file;
        Jump(TimeSpan.Zero);
    }

    /// <summary>Why no clock can be changed; null if one can.</summary>
    public static string? Missing => Library is null ? "libfaketime is not installed" : null;

    /// <summary>The variables that give a process this clock.</summary>
    public IReadOnlyDictionary<string, string> Variables =>
        Library is null
            ? new Dictionary<string, string>()
            : new Dictionary<string, string>
            {
                ["LD_PRELOAD"] = Library,
                ["FAKETIME_TIMESTAMP_FILE"] = _file,
                ["FAKETIME_NO_CACHE"] = "1",
                ["FAKETIME_DONT_FAKE_MONOTONIC"] = "1",
                ["NO_FAKE_STAT"] = "1",
            };

    /// <summary>Sets how far the clock is ahead.</summary>
    public void Jump(TimeSpan offset)
    {
        var next = _file + ".next";
        File.WriteAllText(next, offset.TotalSeconds.ToString("+0;-0;+0", CultureInfo.InvariantCulture) + "\n");
        File.Move(next, _file, overwrite: true);
    }
}
