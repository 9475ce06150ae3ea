using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Services;

/// <summary>
/// Tells systemd how the process stands, for units of <c>Type=notify</c> and those with <c>WatchdogSec=</c>. Each state
/// is a datagram to the socket that <c>NOTIFY_SOCKET</c> names; see sd_notify(3). A state that cannot be sent is logged
/// once, and the worker runs on. Thread-safe.
/// </summary>
internal sealed partial class SystemdManager : IServiceManager, IDisposable
{
    private static readonly TimeSpan StartInterval = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan StartExtension = TimeSpan.FromSeconds(60);

    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
    private readonly UnixDomainSocketEndPoint _manager;
    private readonly TimeSpan? _watchdog;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private ITimer? _timer;
    private bool _disposed,
        _failed,
        _stopping;

    private SystemdManager(string socket, TimeSpan? watchdog, TimeProvider time, ILogger logger)
    {
        // A name that begins with '@' is in Linux's abstract name space.
        _manager = new UnixDomainSocketEndPoint(socket[0] == '@' ? string.Concat("\0", socket.AsSpan(1)) : socket);
        (_watchdog, _time, _logger) = (watchdog, time, logger);
    }

    /// <summary>
    /// Finds the manager that started this process; <see langword="null"/> if none did, or if it asks for no states.
    /// </summary>
    /// <param name="read">Reads an environment variable.</param>
    /// <param name="processId">The id of this process: the manager may mean another one with its watchdog.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Where a state that cannot be sent is logged.</param>
    public static SystemdManager? Find(Func<string, string?> read, int processId, TimeProvider time, ILogger logger)
    {
        if (OperatingSystem.IsWindows() || read("NOTIFY_SOCKET") is not { Length: > 1 } socket)
            return null;
        var isForUs = read("WATCHDOG_PID") is not { } id || id == processId.ToString(CultureInfo.InvariantCulture);
        var watchdog =
            isForUs
            && long.TryParse(read("WATCHDOG_USEC"), NumberStyles.None, CultureInfo.InvariantCulture, out var period)
            && period > 0
                ? TimeSpan.FromMicroseconds(period)
                : (TimeSpan?)null;
        return new SystemdManager(socket, watchdog, time, logger);
    }

    /// <inheritdoc/>
    public bool StartsAgain => true;

    /// <inheritdoc/>
    public void Starting()
    {
        var extend = string.Create(
            CultureInfo.InvariantCulture,
            $"EXTEND_TIMEOUT_USEC={(long)StartExtension.TotalMicroseconds}"
        );
        Repeat(() => Send(extend), TimeSpan.Zero, StartInterval);
    }

    /// <inheritdoc/>
    /// <remarks>With a watchdog, systemd is told twice a period that the process lives.</remarks>
    public void Ready(string status, Action check)
    {
        Send($"READY=1\nSTATUS={status}");
        if (_watchdog is not { } period)
        {
            Repeat(null, default, default);
            return;
        }

        Repeat(() => Watch(check), period / 2, period / 2);
    }

    /// <inheritdoc/>
    public void Stopping()
    {
        if (!Interlocked.Exchange(ref _stopping, true))
            Send("STOPPING=1");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Repeat(null, default, default);
        lock (_lock)
        {
            _disposed = true;
            _socket.Dispose();
        }
    }

    private void Watch(Action check)
    {
        try
        {
            check();
        }
        catch (Exception e)
        {
            DoesNotWork(_logger, e);
            return;
        }

        Send("WATCHDOG=1");
    }

    private void Repeat(Action? action, TimeSpan due, TimeSpan period)
    {
        lock (_lock)
        {
            _timer?.Dispose();
            _timer = action is null || _disposed ? null : _time.CreateTimer(_ => action(), null, due, period);
        }
    }

    private void Send(string state)
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            try
            {
                _socket.SendTo(Encoding.UTF8.GetBytes(state), _manager);
            }
            catch (SocketException e) when (!_failed)
            {
                _failed = true;
                CannotTell(_logger, e);
            }
            catch (SocketException)
            {
                // It was logged; the manager may listen again later.
            }
        }
    }

    [LoggerMessage(5040, LogLevel.Warning, "the service manager cannot be told the state of this process")]
    private static partial void CannotTell(ILogger logger, Exception error);

    [LoggerMessage(
        5041,
        LogLevel.Error,
        "the database cannot be read, so the service manager is not told that this process lives"
    )]
    private static partial void DoesNotWork(ILogger logger, Exception error);
}
