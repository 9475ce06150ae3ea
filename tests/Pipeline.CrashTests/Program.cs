using System.Globalization;
using Pipeline.CrashTests.Events;
using Pipeline.CrashTests.Storage;
using Pipeline.CrashTests.Subscriptions;

namespace Pipeline.CrashTests;

/// <summary>The child processes of the tests that kill; `dotnet test` does not come here.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        if (args is ["storage-writer", var folder, var seed, var how])
            return await KillChild.RunAsync(folder, int.Parse(seed), how == "encrypted");
        if (args is ["subscription-load", var data, var first])
            return await SubscriptionChild.RunAsync(data, int.Parse(first, CultureInfo.InvariantCulture));
        if (args is ["event-load", var events, var round])
            return await EventChild.RunAsync(events, int.Parse(round, CultureInfo.InvariantCulture));
        await Console.Error.WriteLineAsync("Run these tests with `dotnet test`.");
        return 2;
    }
}
