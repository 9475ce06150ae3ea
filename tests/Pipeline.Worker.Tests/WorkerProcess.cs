using System.Diagnostics;
using System.Runtime.InteropServices;
using Pipeline.TestKit.Processes;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>A real <c>pipeline</c> process, ended at the latest with the test.</summary>
internal sealed class WorkerProcess : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(120);
    private readonly Process _process;

    public WorkerProcess(params string[] arguments)
        : this(new Dictionary<string, string>(), arguments) { }

    public WorkerProcess(IReadOnlyDictionary<string, string> variables, params string[] arguments)
        : this(variables, Path.Combine(AppContext.BaseDirectory, "pipeline"), arguments) { }

    private WorkerProcess(IReadOnlyDictionary<string, string> variables, string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var (name, value) in variables)
            start.Environment[name] = value;
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        _process = Process.Start(start)!;
    }

    /// <summary>A process that may open so many files.</summary>
    public static WorkerProcess WithOpenFiles(int most, params string[] arguments) =>
        new(
            new Dictionary<string, string>(),
            "/bin/sh",
            [
                "-c",
                $"ulimit -n {most} && exec \"$0\" \"$@\"",
                Path.Combine(AppContext.BaseDirectory, "pipeline"),
                .. arguments,
            ]
        );

    public int Id => _process.Id;

    public List<string> ErrorLines { get; } = [];

    /// <summary>Reads standard error up to a line that has the text, and gives the line.</summary>
    public async Task<string> ReadErrorUntilAsync(string text)
    {
        using var deadline = new CancellationTokenSource(Timeout);
        while (await _process.StandardError.ReadLineAsync(deadline.Token) is { } line)
        {
            ErrorLines.Add(line);
            if (line.Contains(text, StringComparison.Ordinal))
                return line;
        }
        throw new InvalidOperationException($"the process ended without '{text}':\n{string.Join('\n', ErrorLines)}");
    }

    /// <summary>Sends it a signal.</summary>
    /// <exception cref="SkipException">Windows has no signals.</exception>
    public void Signal(int signal)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no signals.");
        if (!ProcessSignal.TrySend(_process.Id, signal))
            throw new InvalidOperationException("the signal could not be sent: error " + Marshal.GetLastPInvokeError());
    }

    public void Kill() => _process.Kill();

    /// <summary>Waits for the end; gives the exit code and how long it took from the call.</summary>
    public async Task<(int ExitCode, TimeSpan Took)> WaitAsync()
    {
        var watch = Stopwatch.StartNew();
        using var deadline = new CancellationTokenSource(Timeout);
        var rest = _process.StandardError.ReadToEndAsync(deadline.Token);
        await _process.WaitForExitAsync(deadline.Token);
        ErrorLines.AddRange((await rest).Split('\n', StringSplitOptions.RemoveEmptyEntries));
        return (_process.ExitCode, watch.Elapsed);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }
}
