using System.Diagnostics;
using System.Runtime.InteropServices;

namespace ClusterSample;

/// <summary>The process of a node, which can be killed and started again.</summary>
public sealed class NodeProcess(string name, Uri url, Settings settings, string topic) : IDisposable
{
    private Process? _process;
    private StreamWriter? _log;

    /// <summary>The node's name.</summary>
    public string Name => name;

    /// <summary>Where it answers.</summary>
    public Uri Url => url;

    /// <summary>Whether the process runs.</summary>
    public bool Runs => _process is { HasExited: false };

    /// <summary>Where its messages are.</summary>
    public string LogFile => Path.Combine(settings.Data, name + ".log");

    /// <summary>Starts the process.</summary>
    public void Start()
    {
        var host = Environment.ProcessPath!;
        var start = new ProcessStartInfo(host)
        {
            RedirectStandardInput = true,
            RedirectStandardError = true,
            Environment =
            {
                ["NODE"] = name,
                ["URL"] = url.GetLeftPart(UriPartial.Authority),
                ["DATA"] = settings.Data,
                ["KAFKA"] = settings.Kafka ?? "",
                ["TOPIC"] = topic,
            },
        };
        // `dotnet cluster-sample.dll` or the program itself.
        if (Path.GetFileNameWithoutExtension(host) == "dotnet")
            start.ArgumentList.Add(typeof(NodeProcess).Assembly.Location);
        start.ArgumentList.Add("node");
        start.ArgumentList.Add(settings.Kafka is null ? "directory.yaml" : "kafka.yaml");
        start.WorkingDirectory = AppContext.BaseDirectory;
        _log?.Dispose();
        var log = _log = new StreamWriter(LogFile, append: true) { AutoFlush = true };
        var process = _process = new Process { StartInfo = start };
        process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is not { } text)
                return;
            lock (log)
                log.WriteLine(text);
        };
        process.Start();
        process.BeginErrorReadLine();
    }

    /// <summary>Kills the process as `kill -9` does: it can finish nothing.</summary>
    public async Task KillAsync()
    {
        if (_process is null)
            return;
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Has the process stand still, or go on again: SIGSTOP and SIGCONT, which macOS numbers otherwise.</summary>
    public void Stand(bool still)
    {
        var signal = OperatingSystem.IsMacOS() ? (still ? 17 : 19) : (still ? 19 : 18);
        if (OperatingSystem.IsWindows() || Kill(_process!.Id, signal) != 0)
        {
            throw new InvalidOperationException(
                "The process was sent no signal. Linux and macOS have signals; elsewhere: --pauses 0"
            );
        }
    }

    /// <summary>Deletes all that the node has. The process must have ended.</summary>
    public void Wipe() => Directory.Delete(Path.Combine(settings.Data, name), recursive: true);

    /// <summary>How many of its messages have a text.</summary>
    public int CountInLog(string text)
    {
        using var file = new FileStream(LogFile, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using var reader = new StreamReader(file);
        return reader.ReadToEnd().Split('\n').Count(l => l.Contains(text, StringComparison.Ordinal));
    }

    /// <summary>Ends the process in order.</summary>
    public async Task StopAsync()
    {
        if (_process is not { HasExited: false })
            return;
        _process.StandardInput.Close();
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(15));
        try
        {
            await _process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill();
        }
    }

    public void Dispose()
    {
        if (Runs)
            _process!.Kill();
        _process?.Dispose();
        _log?.Dispose();
    }

    [DllImport("libc", EntryPoint = "kill")]
    private static extern int Kill(int process, int signal);
}
