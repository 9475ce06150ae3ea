using System.Globalization;
using Pipeline.Cluster.Tests.Log;

namespace Pipeline.Cluster.Tests;

/// <summary>The child processes of tests; `dotnet test` does not come here.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        if (args is ["append", var folder, var seed])
            return await AppendChild.RunAsync(folder, int.Parse(seed, CultureInfo.InvariantCulture));
        await Console.Error.WriteLineAsync("Run these tests with `dotnet test`.");
        return 2;
    }
}
