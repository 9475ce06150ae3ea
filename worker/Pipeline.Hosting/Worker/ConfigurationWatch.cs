using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Yaml;

namespace Pipeline.Hosting;

/// <summary>
/// Applies a worker's configuration file when its text differs from the running configuration's, for <c>watch:
/// true</c>. A file with errors changes nothing and is reported once. It is retried later even so, because a missing
/// piece, such as the file of a secret, may appear without a change of the text.
/// </summary>
/// <remarks>
/// It polls the file instead of using system notifications, because editors, links and mounted folders replace files in
/// too many ways. A change counts once two consecutive reads find the same text, which excludes half-written files.
/// Each read checks <c>watch</c> again, so that it can be switched.
/// </remarks>
internal sealed class ConfigurationWatch(
    Func<PipelineConfiguration> running,
    TimeProvider time,
    ILogger logger,
    Func<CancellationToken, Task> apply
)
{
    /// <summary>The time between two reads.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    /// <summary>The delay before a failed text is tried again; it doubles each time.</summary>
    public static readonly TimeSpan FirstWait = TimeSpan.FromSeconds(5);

    /// <summary>The longest delay.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(5);

    private string? _first;
    private string? _seen;
    private string? _failed;
    private string? _told;
    private long _failedAt;
    private TimeSpan _wait;

    /// <summary>Polls until it is cancelled, which is its normal end.</summary>
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

    /// <summary>Reads the file once.</summary>
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
        // If the configuration was not read from the file, the first text found counts as the running one.
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
        _wait =
            text != _failed ? FirstWait
            : _wait * 2 < LongestWait ? _wait * 2
            : LongestWait;
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
            using var stream = new FileStream(
                file,
                FileMode.Open,
                FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete
            );
            return Convert.ToHexString(SHA256.HashData(stream));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file is being replaced or missing; the tasks continue unchanged.
            return null;
        }
    }
}
