using System.Diagnostics;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>Runs another program's client and returns its output.</summary>
internal static class Tool
{
    public static async Task<string> RunAsync(
        string program,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string>? variables = null
    )
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in variables ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        return process.ExitCode == 0
            ? await output
            : throw new InvalidOperationException($"{program} ended with {process.ExitCode}: {error}{await output}");
    }

    /// <summary>The lines as JSON values.</summary>
    public static List<System.Text.Json.JsonElement> ParseLines(string output) =>
        [
            .. output
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(l => System.Text.Json.JsonDocument.Parse(l).RootElement),
        ];
}
