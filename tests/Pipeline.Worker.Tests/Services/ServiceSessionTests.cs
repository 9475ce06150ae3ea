using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;
using Xunit;

namespace Pipeline.Worker.Tests.Services;

/// <summary>What the service manager of Windows sees of a command, without Windows.</summary>
public sealed class ServiceSessionTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly ManualTimeProvider _time = new();
    private readonly ConcurrentQueue<TimeSpan> _asked = new();
    private readonly ServiceSession _session;

    public ServiceSessionTests() => _session = new ServiceSession(_asked.Enqueue, _time);

    public void Dispose()
    {
        _session.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task The_manager_is_asked_for_time_until_the_command_is_ready_and_again_until_it_has_stopped()
    {
        var ended = new TaskCompletionSource<int>();
        var start = _session.StartAsync(_ => ended.Task);
        await _time.NextTimerAsync();
        Assert.Equal([ServiceSession.Extension], _asked);
        _time.Advance(ServiceSession.Interval);
        await _time.NextTimerAsync();
        Assert.Equal([ServiceSession.Extension, ServiceSession.Extension], _asked);
        Assert.False(start.IsCompleted);
        _session.Ready("it listens", () => { });
        await start;

        _asked.Clear();
        var stop = _session.StopAsync();
        await _time.NextTimerAsync();
        Assert.Equal([ServiceSession.Extension], _asked);
        Assert.False(stop.IsCompleted);
        ended.SetResult(0);
        await stop;
    }

    [Fact]
    public async Task A_command_that_ends_before_it_is_ready_fails_the_start()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            _session.StartAsync(_ => Task.FromResult(2))
        );
        Assert.Contains("exit code 2", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task At_the_shutdown_of_the_system_the_stop_has_a_limit()
    {
        var ended = new TaskCompletionSource<int>();
        _session.Ready("", () => { });
        await _session.StartAsync(_ => ended.Task);
        _asked.Clear();
        var stop = _session.StopAsync(TimeSpan.FromSeconds(4));
        _time.Advance(TimeSpan.FromSeconds(4));
        Assert.False(await stop);
        Assert.Empty(_asked);
        ended.SetResult(0);
        Assert.True(await _session.StopAsync(TimeSpan.FromSeconds(4)));
    }

    [Fact]
    public async Task A_run_is_ready_once_it_listens_and_stops_in_order()
    {
        var config = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            """
        );
        var lines = new ConcurrentQueue<(LogLevel Level, string Line)>();
        await _session.StartAsync(stop => InvokeAsync(lines, stop, "run", "--config", config));
        Assert.False(_session.Work.IsCompleted);
        Assert.Contains(lines, l => l.Line.Contains("listening", StringComparison.OrdinalIgnoreCase));
        await _session.StopAsync();
        Assert.Equal(0, await _session.Work);
        Assert.DoesNotContain(lines, l => l.Level > LogLevel.Warning);
    }

    [Theory]
    [InlineData("missing.yaml:1:1", "run", "--config", "missing.yaml")]
    [InlineData("--once", "run", "--json")]
    public async Task What_fails_a_start_is_recorded_as_an_error(string expected, params string[] arguments)
    {
        var lines = new ConcurrentQueue<(LogLevel Level, string Line)>();
        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            _session.StartAsync(stop => InvokeAsync(lines, stop, arguments))
        );
        var (level, line) = Assert.Single(lines);
        Assert.Equal(LogLevel.Error, level);
        Assert.Contains(expected, line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_commands_are_ready_at_once()
    {
        await _session.StartAsync(stop => InvokeAsync([], stop, "schema"));
        Assert.Equal(0, await _session.Work);
    }

    [SkippableFact]
    public void Elsewhere_no_process_is_a_service_of_Windows()
    {
        Skip.If(OperatingSystem.IsWindows(), "It depends on what started the tests.");
        Assert.False(WindowsService.IsThisProcess);
    }

    private Task<int> InvokeAsync(
        ConcurrentQueue<(LogLevel Level, string Line)> lines,
        CancellationToken stop,
        params string[] arguments
    )
    {
        var console = new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null)
        {
            Record = (level, line) => lines.Enqueue((level, line)),
        };
        return new PipelineCommandLine(console, TimeProvider.System, manager: _session).InvokeAsync(arguments, stop);
    }
}
