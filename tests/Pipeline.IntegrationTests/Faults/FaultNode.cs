using System.Diagnostics;
using Pipeline.TestKit.Processes;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>A node: the process of <c>pipeline run</c>, started again whenever it ends by itself.</summary>
internal sealed class FaultNode : IAsyncDisposable
{
    private const string ProgramFile = "pipeline.dll";
    private static readonly TimeSpan MaxStop = TimeSpan.FromSeconds(20);
    private static readonly string Present = Path.Combine(AppContext.BaseDirectory, ProgramFile);
    private readonly string _configuration;
    private readonly FaultClock _clock;
    private readonly Lock _lock = new();
    private readonly StreamWriter _log;
    private readonly string _data;
    private string _program;
    private Process? _process;
    private bool _mayRun;

    /// <summary>Describes a node; <see cref="Start"/> starts it.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="configuration">Its configuration file.</param>
    /// <param name="data">The folder of its database.</param>
    /// <param name="port">The port that its process listens on.</param>
    /// <param name="logFile">Where its messages go.</param>
    /// <param name="earlier">The folder of an earlier version that it starts with, or null.</param>
    public FaultNode(string name, string configuration, string data, int port, string logFile, string? earlier = null)
    {
        _clock = new FaultClock(logFile + ".clock");
        _program = earlier is null ? Present : Path.Combine(earlier, ProgramFile);
        (Name, Port, _configuration, _data) = (name, port, configuration, data);
        _log = new StreamWriter(logFile, append: true) { AutoFlush = true };
        AppDomain.CurrentDomain.ProcessExit += OnProcessExit;
    }

    public string Name { get; }

    /// <summary>The port that its process listens on.</summary>
    public int Port { get; }

    /// <summary>How often it was started.</summary>
    public int Starts { get; private set; }

    /// <summary>How often its process ended although nobody ended it.</summary>
    public int Ends { get; private set; }

    /// <summary>The process; null if none runs.</summary>
    public int? ProcessId
    {
        get
        {
            lock (_lock)
                return _process?.Id;
        }
    }

    /// <summary>Starts the process.</summary>
    public void Start()
    {
        lock (_lock)
        {
            _mayRun = true;
            StartProcess();
        }
    }

    /// <summary>Kills the process, as <c>kill -9</c> does.</summary>
    public async Task KillAsync()
    {
        if (Take() is not { } process)
            return;
        process.Kill();
        await process.WaitForExitAsync();
        process.Dispose();
    }

    /// <summary>Stops the process in order.</summary>
    public async Task StopAsync()
    {
        if (Take() is not { } process)
            return;
        ProcessSignal.TrySend(process.Id, ProcessSignal.Terminate);
        using var late = new CancellationTokenSource(MaxStop);
        try
        {
            await process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            await process.WaitForExitAsync(CancellationToken.None);
        }
        process.Dispose();
    }

    /// <summary>Has the next start run the present version; false if it did before.</summary>
    public bool Upgrade()
    {
        var isEarlier = _program != Present;
        _program = Present;
        return isEarlier;
    }

    /// <summary>Sets how far the process's time of day is ahead.</summary>
    public void SetClock(TimeSpan ahead) => _clock.Jump(ahead);

    /// <summary>Has the process stand still.</summary>
    public void Pause() => Signal(ProcessSignal.StandStill);

    /// <summary>Has a process that stands still continue.</summary>
    public void Resume() => Signal(ProcessSignal.Continue);

    /// <summary>Deletes the database. The process must have ended.</summary>
    public void Wipe()
    {
        if (Directory.Exists(_data))
            Directory.Delete(_data, recursive: true);
    }

    public async ValueTask DisposeAsync()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnProcessExit;
        await KillAsync();
        lock (_lock)
            _log.Dispose();
    }

    private void StartProcess()
    {
        var process = new Process
        {
            StartInfo = new ProcessStartInfo("dotnet", [_program, "run", "--config", _configuration])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                WorkingDirectory = Path.GetDirectoryName(_configuration)!,
                Environment = { ["DOTNET_gcServer"] = "0", ["DOTNET_TieredPGO"] = "0" },
            },
            EnableRaisingEvents = true,
        };
        foreach (var (name, value) in _clock.Variables)
            process.StartInfo.Environment[name] = value;
        process.OutputDataReceived += (_, line) => Write(line.Data);
        process.ErrorDataReceived += (_, line) => Write(line.Data);
        process.Exited += (_, _) => OnExited(process);
        Starts++;
        _log.WriteLine($"---- start {Starts} at {DateTime.UtcNow:HH:mm:ss.fff}");
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        _process = process;
    }

    // As systemd does.
    private void OnExited(Process process)
    {
        lock (_lock)
        {
            if (!_mayRun || _process != process)
                return;
            Ends++;
            _log.WriteLine($"---- ended by itself with {process.ExitCode} at {DateTime.UtcNow:HH:mm:ss.fff}");
            _process = null;
            StartProcess();
        }
    }

    private Process? Take()
    {
        lock (_lock)
        {
            _mayRun = false;
            var process = _process;
            _process = null;
            if (process is not null)
                _log.WriteLine($"---- ended by the test at {DateTime.UtcNow:HH:mm:ss.fff}");
            return process;
        }
    }

    private void Write(string? line)
    {
        if (line is null)
            return;
        lock (_lock)
        {
            if (_log.BaseStream is { CanWrite: true })
                _log.WriteLine(line);
        }
    }

    private void Signal(int signal)
    {
        if (ProcessId is { } id)
            ProcessSignal.TrySend(id, signal);
    }

    private void OnProcessExit(object? sender, EventArgs e)
    {
        if (Take() is { HasExited: false } process)
            process.Kill();
    }
}
