using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Pipeline.TestKit.Processes;

namespace Pipeline.TestKit.Services;

/// <summary>
/// A service run as a process of the tests: on its own ports, in its own folder, ended with the tests.
/// </summary>
public sealed class ServiceProcess : ITestBroker
{
    private readonly Func<ProcessStartInfo> _command;
    private readonly Func<string> _readPid;
    private readonly Action? _afterStop;
    private readonly int _port;
    private readonly string _folder;
    private readonly TimeSpan _timeout;
    private readonly Queue<string> _output = new();
    private Process? _process;

    /// <summary>Creates it; <see cref="StartAsync"/> starts it.</summary>
    /// <param name="endpoint">The endpoint that clients connect to.</param>
    /// <param name="origin">Where the service comes from, for messages.</param>
    /// <param name="port">The port that answers once it is up.</param>
    /// <param name="folder">Its folder, deleted at the end.</param>
    /// <param name="command">Makes the command of each start.</param>
    /// <param name="readPid">Returns the id of the process to signal, if it is not the started one.</param>
    /// <param name="afterStop">Stops processes that it leaves running.</param>
    public ServiceProcess(
        string endpoint,
        string origin,
        int port,
        string folder,
        Func<ProcessStartInfo> command,
        Func<string>? readPid = null,
        Action? afterStop = null
    )
    {
        (Endpoint, Origin, _port, _folder, _command, _afterStop) = (endpoint, origin, port, folder, command, afterStop);
        _readPid = readPid ?? (() => _process!.Id.ToString());
        _timeout = TimeSpan.FromMinutes(4);
        AppDomain.CurrentDomain.ProcessExit += OnProcessExit;
    }

    /// <inheritdoc/>
    public string Endpoint { get; }

    /// <inheritdoc/>
    public string Origin { get; }

    /// <inheritdoc/>
    public bool CanRestart => true;

    /// <summary>
    /// Whether the broker takes clients, asked after its port answers; set by services whose port answers early.
    /// </summary>
    public Func<Task<bool>> IsReady { get; init; } = () => Task.FromResult(true);

    /// <summary>Runs before the process is killed. A service that confirms writes too early stores them here.</summary>
    public Func<Task> BeforeKill { get; init; } = () => Task.CompletedTask;

    /// <summary>A new folder for a service's data.</summary>
    public static string NewFolder(string service) => Directory.CreateTempSubdirectory($"pipeline-{service}-").FullName;

    /// <inheritdoc/>
    public async Task StartAsync()
    {
        var start = _command();
        start.RedirectStandardOutput = start.RedirectStandardError = true;
        start.RedirectStandardInput = true;
        var process = new Process { StartInfo = start };
        process.OutputDataReceived += (_, e) => Keep(e.Data);
        process.ErrorDataReceived += (_, e) => Keep(e.Data);
        process.Start();
        process.StandardInput.Close();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        _process = process;

        var waited = Stopwatch.StartNew();
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(200));
        while (!await AnswersAsync() || !await IsReady())
        {
            if (process.HasExited)
                throw new InvalidOperationException($"{Origin} ended with {process.ExitCode}: {Output()}");
            if (waited.Elapsed > _timeout)
                throw new TimeoutException($"{Origin} does not answer on port {_port}: {Output()}");
            await timer.WaitForNextTickAsync();
        }
    }

    /// <inheritdoc/>
    public async Task StopAsync() => await EndAsync(ProcessSignal.Terminate, TimeSpan.FromSeconds(30));

    /// <inheritdoc/>
    public async Task KillAsync()
    {
        if (_process is { HasExited: false })
            await BeforeKill();
        await EndAsync(ProcessSignal.Kill, TimeSpan.Zero);
    }

    /// <summary>Has the process stand still. Linux only.</summary>
    public void Pause() => Signal(ProcessSignal.StandStill);

    /// <summary>Has a process that stands still continue. Linux only.</summary>
    public void Resume() => Signal(ProcessSignal.Continue);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnProcessExit;
        await StopAsync();
        DeleteFolder();
    }

    private async Task EndAsync(int signal, TimeSpan timeout)
    {
        if (_process is not { } process)
            return;
        if (!process.HasExited)
        {
            Signal(signal);
            using var late = new CancellationTokenSource(timeout == TimeSpan.Zero ? TimeSpan.FromSeconds(30) : timeout);
            try
            {
                await process.WaitForExitAsync(late.Token);
            }
            catch (OperationCanceledException)
            {
                Signal(ProcessSignal.Kill);
                process.Kill(entireProcessTree: true);
                await process.WaitForExitAsync(CancellationToken.None);
            }
        }

        process.Dispose();
        _process = null;
        _afterStop?.Invoke();
    }

    private void Signal(int signal)
    {
        // Windows has no signals; the tests pause nothing there.
        if (OperatingSystem.IsWindows())
            _process!.Kill(entireProcessTree: true);
        else if (int.TryParse(_readPid(), out var pid))
            ProcessSignal.TrySend(pid, signal);
    }

    // The tests' process may be told to end before a fixture is disposed: nothing is left running then either.
    private void OnProcessExit(object? sender, EventArgs e)
    {
        if (_process is { HasExited: false })
        {
            Signal(ProcessSignal.Kill);
            _process.Kill(entireProcessTree: true);
            _afterStop?.Invoke();
        }

        DeleteFolder();
    }

    private void DeleteFolder()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
    }

    private async Task<bool> AnswersAsync()
    {
        using var socket = new TcpClient();
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, _port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private void Keep(string? line)
    {
        if (line is null)
            return;
        lock (_output)
        {
            _output.Enqueue(line);
            if (_output.Count > 30)
                _output.Dequeue();
        }
    }

    private string Output()
    {
        lock (_output)
            return string.Join(Environment.NewLine, _output);
    }
}
