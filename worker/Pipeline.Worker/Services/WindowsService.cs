using System.Diagnostics;
using System.Runtime.Versioning;
using System.ServiceProcess;
using Microsoft.Extensions.Hosting.WindowsServices;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Services;

/// <summary>
/// This process as a service of Windows. The service counts as running once the command is ready, stops in order, and
/// ends with an error if the command fails, so that the recovery options apply.
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsService : ServiceBase
{
    /// <summary>The source of its events in the log <c>Application</c>.</summary>
    public const string EventSource = "pipeline";

    // ERROR_EXCEPTION_IN_SERVICE: of the system's codes the one that says least about the cause; the event log has it.
    private const int Failed = 1064;

    // The longest text of an event is 31,839 characters.
    private const int LongestEvent = 30_000;

    // Windows kills services some seconds after the shutdown began.
    private static readonly TimeSpan ShutdownLimit = TimeSpan.FromSeconds(4.5);

    private readonly ServiceSession _session;
    private readonly Func<WindowsService, CancellationToken, Task<int>> _run;
    private volatile bool _isStopping;
    private volatile bool _cannotRecord;

    private WindowsService(Func<WindowsService, CancellationToken, Task<int>> run, TimeProvider time)
    {
        _run = run;
        _session = new ServiceSession(more => RequestAdditionalTime((int)more.TotalMilliseconds), time);
        ServiceName = EventSource;
        CanShutdown = true;
    }

    /// <summary>Whether the service manager of Windows started this process.</summary>
    [SupportedOSPlatformGuard("windows")]
    public static bool IsThisProcess => OperatingSystem.IsWindows() && WindowsServiceHelpers.IsWindowsService();

    /// <summary>Whom the command tells that it is ready.</summary>
    public IServiceManager Manager => _session;

    /// <summary>Runs a command as a service until the manager stops it or the command ends.</summary>
    /// <param name="run">Runs the command until its token is cancelled; returns the exit code.</param>
    /// <param name="time">The clock.</param>
    /// <returns>The exit code of the process.</returns>
    public static int Run(Func<WindowsService, CancellationToken, Task<int>> run, TimeProvider time)
    {
        // Services start in the folder of the system.
        Environment.CurrentDirectory = ProgramFolder;
        using var service = new WindowsService(run, time);
        Run(service);
        return service.ExitCode;
    }

    /// <summary>Writes warnings and errors to the event log of Windows. Thread-safe.</summary>
    public void Record(LogLevel level, string line)
    {
        if (level < LogLevel.Warning || _cannotRecord)
            return;
        try
        {
            var type = level == LogLevel.Warning ? EventLogEntryType.Warning : EventLogEntryType.Error;
            EventLog.WriteEntry(line.Length <= LongestEvent ? line : line[..LongestEvent], type);
        }
#pragma warning disable CA1031 // The account may not write events, or the log is full or gone: the service works without.
        catch (Exception)
#pragma warning restore CA1031
        {
            _cannotRecord = true;
        }
    }

    /// <inheritdoc/>
    protected override void OnStart(string[] args)
    {
        _session.StartAsync(stop => _run(this, stop)).GetAwaiter().GetResult();
        _ = StopAtEndAsync();
    }

    /// <inheritdoc/>
    protected override void OnStop()
    {
        _isStopping = true;
        _session.StopAsync().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    protected override void OnShutdown()
    {
        _isStopping = true;
        // Data is durable before it is confirmed: ending without an orderly stop loses nothing.
        _session.StopAsync(ShutdownLimit).GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _session.Dispose();
        base.Dispose(disposing);
    }

    // A program of one file is unpacked elsewhere, so the folder is that of the file; 'dotnet pipeline.dll' is the host's file.
    private static string ProgramFolder =>
        Environment.ProcessPath is { } path
        && !Path.GetFileNameWithoutExtension(path).Equals("dotnet", StringComparison.OrdinalIgnoreCase)
            ? Path.GetDirectoryName(path)!
            : AppContext.BaseDirectory;

    private async Task StopAtEndAsync()
    {
        var code = await _session.Work.ConfigureAwait(false);
        if (_isStopping)
            return;
        ExitCode = code == ExitCodes.Success ? 0 : Failed;
        Stop();
    }
}
