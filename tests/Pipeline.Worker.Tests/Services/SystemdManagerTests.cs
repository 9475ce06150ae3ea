using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Processes;
using Pipeline.TestKit.Time;
using Pipeline.Worker.Services;
using Xunit;

namespace Pipeline.Worker.Tests.Services;

/// <summary>What systemd is told, at a socket as systemd has one.</summary>
public sealed class SystemdManagerTests : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    private readonly TestFolder _folder = new();
    private Socket? _manager;
    private readonly ManualTimeProvider _time = new();
    private readonly byte[] _buffer = new byte[4096];

    public void Dispose()
    {
        _manager?.Dispose();
        _folder.Dispose();
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_ready_watchdog_and_stop_are_told(bool isAbstract)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no systemd.");
        Skip.If(isAbstract && !OperatingSystem.IsLinux(), "Only Linux has abstract sockets.");
        using var manager = Find(Listen(isAbstract), watchdog: "4000000", watched: null)!;
        manager.Starting();
        _time.Advance(TimeSpan.Zero);
        Assert.Equal("EXTEND_TIMEOUT_USEC=60000000", await ReceiveAsync());
        _time.Advance(TimeSpan.FromSeconds(20));
        Assert.Equal("EXTEND_TIMEOUT_USEC=60000000", await ReceiveAsync());

        var works = true;
        manager.Ready("it listens", () => Assert.True(works));
        Assert.Equal("READY=1\nSTATUS=it listens", await ReceiveAsync());
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal("WATCHDOG=1", await ReceiveAsync());
        works = false;
        _time.Advance(TimeSpan.FromSeconds(20));
        manager.Stopping();
        manager.Stopping();
        Assert.Equal("STOPPING=1", await ReceiveAsync());
        Assert.Equal(0, _manager!.Available);
    }

    [SkippableTheory]
    [InlineData(null, null)]
    [InlineData("0", null)]
    [InlineData("soon", null)]
    [InlineData("4000000", "1")]
    public async Task Without_a_watchdog_for_this_process_nothing_follows(string? period, string? watched)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no systemd.");
        using var manager = Find(Listen(isAbstract: false), period, watched)!;
        manager.Ready("", () => { });
        _time.Advance(TimeSpan.FromMinutes(10));
        manager.Stopping();
        Assert.Equal("READY=1\nSTATUS=", await ReceiveAsync());
        Assert.Equal("STOPPING=1", await ReceiveAsync());
    }

    [Fact]
    public void Without_a_manager_there_is_nobody_to_tell() => Assert.Null(Find(null, null, null));

    [SkippableFact]
    public void A_manager_that_does_not_listen_is_logged_once_and_the_worker_runs_on()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no systemd.");
        using var log = new CapturedLines();
        using var manager = SystemdManager.Find(
            name => name == "NOTIFY_SOCKET" ? _folder["nobody"] : null,
            1,
            _time,
            log.CreateLogger("worker")
        )!;
        manager.Ready("", () => { });
        manager.Stopping();
        Assert.Contains("cannot be told", Assert.Single(log.Lines), StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task The_program_tells_when_it_is_ready_and_when_it_stops()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no systemd.");
        var config = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            """
        );
        var variables = new Dictionary<string, string> { ["NOTIFY_SOCKET"] = Listen(isAbstract: false) };
        using var process = new WorkerProcess(variables, "run", "--config", config);
        string state;
        while ((state = await ReceiveAsync()).StartsWith("EXTEND_TIMEOUT_USEC=", StringComparison.Ordinal)) { }
        Assert.StartsWith("READY=1\nSTATUS=database 'shop', listening on http://127.0.0.1:", state);
        process.Signal(ProcessSignal.Terminate);
        Assert.Equal("STOPPING=1", await ReceiveAsync());
        Assert.Equal(0, (await process.WaitAsync()).ExitCode);
    }

    [SkippableFact]
    public async Task A_run_that_ends_by_itself_tells_that_it_stops()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no systemd.");
        var config = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            """
        );
        var variables = new Dictionary<string, string> { ["NOTIFY_SOCKET"] = Listen(isAbstract: false) };
        using var process = new WorkerProcess(variables, "run", "--once", "--config", config);
        string state;
        while ((state = await ReceiveAsync()).StartsWith("EXTEND_TIMEOUT_USEC=", StringComparison.Ordinal)) { }
        Assert.StartsWith("READY=1\nSTATUS=database 'shop'", state);
        Assert.Equal("STOPPING=1", await ReceiveAsync());
        Assert.Equal(0, (await process.WaitAsync()).ExitCode);
        Assert.Equal(0, _manager!.Available);
    }

    private string Listen(bool isAbstract)
    {
        var name = isAbstract ? $"@{Guid.NewGuid():n}" : _folder["notify"];
        _manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        _manager.Bind(new UnixDomainSocketEndPoint(isAbstract ? "\0" + name[1..] : name));
        return name;
    }

    private SystemdManager? Find(string? socket, string? watchdog, string? watched)
    {
        var variables = new Dictionary<string, string?>
        {
            ["NOTIFY_SOCKET"] = socket,
            ["WATCHDOG_USEC"] = watchdog,
            ["WATCHDOG_PID"] = watched,
        };
        return SystemdManager.Find(variables.GetValueOrDefault, 4711, _time, NullLogger.Instance);
    }

    private async Task<string> ReceiveAsync()
    {
        using var deadline = new CancellationTokenSource(Timeout);
        var length = await _manager!.ReceiveAsync(_buffer, deadline.Token);
        return Encoding.UTF8.GetString(_buffer, 0, length);
    }
}
