using System.Diagnostics;

namespace Pipeline.Benchmarks;

/// <summary>Starts this program again, for a peer that needs its own process.</summary>
internal static class OwnProcess
{
    /// <summary>Starts it with arguments. It ends when its input is closed.</summary>
    /// <param name="readsOutput">Whether the caller reads its output.</param>
    /// <param name="arguments">Its arguments.</param>
    public static Process Start(bool readsOutput, params string[] arguments)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = readsOutput,
        };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            start.ArgumentList.Add(typeof(OwnProcess).Assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return Process.Start(start)
            ?? throw new BenchmarkException($"'{string.Join(' ', arguments)}' could not be started");
    }
}
