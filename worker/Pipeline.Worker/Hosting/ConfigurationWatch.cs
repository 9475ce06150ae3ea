using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;

namespace Pipeline.Worker.Hosting;

/// <summary>Applies a configuration file when its text has changed, for <c>watch: true</c>. A file with faults changes nothing and is told of once.</summary>
/// <remarks>It reads the file rather than wait for the system's word: editors, links and mounted folders replace files in too many ways. A change counts when
/// two looks in a row find the same text, so that a half-written file is not taken.</remarks>
internal sealed class ConfigurationWatch(string file, TimeProvider time, ILogger logger, Func<CancellationToken, Task> apply)
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private byte[]? _applied = Read(file);
    private byte[]? _seen;

    /// <summary>Looks until it is cancelled, which is its orderly end.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(Interval, time);
        try
        {
            while (await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
                await LookAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The worker stops.
        }
    }

    /// <summary>One look.</summary>
    internal async Task LookAsync(CancellationToken cancellationToken)
    {
        var now = Read(file);
        var isSettled = now is not null && _seen is not null && now.AsSpan().SequenceEqual(_seen);
        _seen = now;
        if (!isSettled || _applied is not null && now.AsSpan().SequenceEqual(_applied))
            return;
        _applied = now;
        try
        {
            await apply(cancellationToken).ConfigureAwait(false);
        }
        catch (ConfigurationException e)
        {
            WorkerLog.NotApplied(logger, file, string.Join("\n", e.Diagnostics));
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            WorkerLog.NotApplied(logger, file, e.Message);
        }
    }

    private static byte[]? Read(string file)
    {
        try
        {
            using var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return SHA256.HashData(stream);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Being replaced, or gone for now: the tasks go on as they are.
            return null;
        }
    }
}
