using System.Diagnostics;
using System.Globalization;

namespace Pipeline.TestKit;

/// <summary>How long a fuzzer goes on, and how much memory the process may take meanwhile. Short unless
/// <c>PIPELINE_FUZZ_MINUTES</c> says otherwise;
/// <c>PIPELINE_SEED</c> goes another way. A long run is to be the only one in its process.</summary>
public sealed class FuzzRun
{
    private const long MaxWorkingSet = 2L << 30,
        MaxKept = 128L << 20;
    private static readonly TimeSpan LookInterval = TimeSpan.FromSeconds(5);
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private readonly int _shortRounds;
    private readonly long _before;
    private TimeSpan _nextLook;

    /// <summary>Begins a run.</summary>
    /// <param name="shortRounds">The rounds of a short run.</param>
    /// <param name="usualSeed">The seed where none is given.</param>
    public FuzzRun(int shortRounds, int usualSeed)
    {
        _shortRounds = shortRounds;
        var minutes = RunSetting.Read("PIPELINE_FUZZ_MINUTES", double.NaN);
        Time = double.IsNaN(minutes) ? null : TimeSpan.FromMinutes(minutes);
        Seed = RunSetting.Read("PIPELINE_SEED", usualSeed);
        _before = Time is null ? 0 : GC.GetTotalMemory(forceFullCollection: true);
    }

    /// <summary>How long a long run takes; null for a short one.</summary>
    public TimeSpan? Time { get; }

    /// <summary>The seed.</summary>
    public int Seed { get; }

    /// <summary>The rounds that were begun.</summary>
    public int Rounds { get; private set; }

    /// <summary>The largest working set that was seen in a long run, in bytes.</summary>
    public long PeakBytes { get; private set; }

    /// <summary>Whether another round begins.</summary>
    /// <exception cref="FuzzMemoryException">The process takes more memory than it may.</exception>
    public bool Next()
    {
        if (Time is { } time ? _watch.Elapsed >= time : Rounds >= _shortRounds)
            return false;
        Rounds++;
        if (Time is not null && _watch.Elapsed >= _nextLook)
        {
            _nextLook = _watch.Elapsed + LookInterval;
            PeakBytes = Math.Max(PeakBytes, Environment.WorkingSet);
            if (Environment.WorkingSet > MaxWorkingSet)
            {
                throw new FuzzMemoryException(
                    $"round {Rounds}, seed {Seed}: the process takes {Environment.WorkingSet >> 20} MiB, more than {MaxWorkingSet >> 20}"
                );
            }
        }
        return true;
    }

    /// <summary>Ends the run and reports it.</summary>
    /// <exception cref="FuzzMemoryException">A long run kept more memory than it may.</exception>
    public string End()
    {
        if (Time is null)
            return $"{Rounds} rounds, seed {Seed}";
        var kept = GC.GetTotalMemory(forceFullCollection: true) - _before;
        var text = string.Create(
            CultureInfo.InvariantCulture,
            $"{Rounds} rounds, seed {Seed}, {_watch.Elapsed.TotalMinutes:0.0} min, peak {PeakBytes >> 20} MiB, {kept >> 20} MiB kept"
        );
        return kept <= MaxKept ? text : throw new FuzzMemoryException($"{text}, more than {MaxKept >> 20}");
    }
}

/// <summary>A fuzzed process took more memory than it may.</summary>
public sealed class FuzzMemoryException(string message) : Exception(message);
