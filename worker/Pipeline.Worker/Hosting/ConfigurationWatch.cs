using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;

namespace Pipeline.Worker.Hosting;

/// <summary>Applies a worker's configuration file when its text is another one than that of the configuration that runs, for <c>watch: true</c>. A file with faults
/// changes nothing and is told of once; it is tried again later all the same, since what it lacks, such as the file of a secret, may come without a change of its text.</summary>
/// <remarks>It reads the file rather than wait for the system's word: editors, links and mounted folders replace files in too many ways. A change counts when
/// two looks in a row find the same text, so that a half-written file is not taken. Whether it applies anything is asked at each look, so that <c>watch</c> can be switched.</remarks>
internal sealed class ConfigurationWatch(Func<PipelineConfiguration> running, TimeProvider time, ILogger logger, Func<CancellationToken, Task> apply)
{
    /// <summary>Time between two looks.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    /// <summary>Time until a text that could not be applied is tried again, at first; it doubles with each time.</summary>
    public static readonly TimeSpan FirstWait = TimeSpan.FromSeconds(5);

    /// <summary>The longest such time.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(5);

    private string? _first;
    private string? _seen;
    private string? _failed;
    private string? _told;
    private long _failedAt;
    private TimeSpan _wait;

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
        var configuration = running();
        if (!configuration.Watch)
        {
            _seen = null;
            return;
        }
        var now = Read(configuration.File);
        var isSettled = now is not null && now == _seen;
        _seen = now;
        if (!isSettled)
            return;
        // A configuration that was not read from the file is taken for what the file holds at first.
        if (now == (configuration.TextHash ?? (_first ??= now)))
        {
            _failed = _told = null;
            return;
        }
        if (now == _failed && time.GetElapsedTime(_failedAt) < _wait)
            return;
        try
        {
            await apply(cancellationToken).ConfigureAwait(false);
            _failed = _told = null;
        }
        catch (ConfigurationException e)
        {
            Fail(now!, configuration.File, string.Join("\n", e.Diagnostics));
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            Fail(now!, configuration.File, e.Message);
        }
    }

    private void Fail(string text, string file, string reason)
    {
        _wait = text != _failed ? FirstWait : _wait * 2 < LongestWait ? _wait * 2 : LongestWait;
        (_failed, _failedAt) = (text, time.GetTimestamp());
        if (_told == text + reason)
            return;
        _told = text + reason;
        WorkerLog.NotApplied(logger, file, reason);
    }

    private static string? Read(string file)
    {
        try
        {
            using var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return Convert.ToHexString(SHA256.HashData(stream));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Being replaced, or gone for now: the tasks go on as they are.
            return null;
        }
    }
}
