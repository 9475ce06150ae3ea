using System.Globalization;

namespace Pipeline.Hosting.Cluster;

/// <summary>The progress of a node that is being filled. Thread-safe.</summary>
internal sealed class RefillProgress : IProgress<long>
{
    private long _received,
        _expected;
    private volatile string? _source;

    /// <summary>The node that it is filled from; null while none is found.</summary>
    public string? Source => _source;

    /// <summary>The number of bytes received from it.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>The approximate number of bytes in total; at least those received.</summary>
    public long Expected => Math.Max(Received, Interlocked.Read(ref _expected));

    /// <summary>Why the last attempt failed; null if none has failed.</summary>
    public string? Problem { get; set; }

    /// <summary>The progress in words.</summary>
    public string Text
    {
        get
        {
            const double MiB = 1 << 20;
            if (_source is not { } source)
                return "looks for a node to be filled from";
            return string.Create(
                CultureInfo.InvariantCulture,
                $"is filled from {source}: {Received / MiB:N1} of about {Expected / MiB:N1} MiB"
            );
        }
    }

    /// <summary>A copy begins.</summary>
    public void Begin(string source, long expected)
    {
        Interlocked.Exchange(ref _received, 0);
        Interlocked.Exchange(ref _expected, expected);
        _source = source;
    }

    /// <summary>A copy has failed.</summary>
    public void End(string problem)
    {
        Problem = problem;
        _source = null;
    }

    /// <inheritdoc/>
    public void Report(long value) => Interlocked.Exchange(ref _received, value);
}
