using System.Globalization;
using Pipeline.CrashTests.Client;
using Pipeline.CrashTests.Events;
using Pipeline.CrashTests.JavaScript;
using Pipeline.CrashTests.Scripts;
using Pipeline.CrashTests.Storage;
using Pipeline.CrashTests.Subscriptions;

namespace Pipeline.CrashTests;

/// <summary>The child processes of tests; `dotnet test` does not come here.</summary>
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
        if (args is ["client-load", var url, var kind])
            return await ClientChild.RunAsync(url, isSafe: kind == "safe");
        if (args is ["javascript-known"])
            return ScriptChild.RunKnown();
        if (args is ["javascript-fuzz", var start, var rounds, var seconds])
        {
            return ScriptChild.Fuzz(
                int.Parse(start, CultureInfo.InvariantCulture),
                int.Parse(rounds, CultureInfo.InvariantCulture),
                TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture))
            );
        }

        if (args is ["many-databases", var databases, var many])
            return await ManyDatabasesChild.RunAsync(databases, int.Parse(many, CultureInfo.InvariantCulture));
        if (args is ["index-death", var store, var death])
            return await IndexChild.RunAsync(store, death == "overflow");
        if (args is ["script-death", var place, var what])
            return await ScriptedChild.RunAsync(place, what);
        if (args is ["csharp-fuzz", var firstProgram, var programs, var time])
        {
            return CSharpChild.Fuzz(
                int.Parse(firstProgram, CultureInfo.InvariantCulture),
                int.Parse(programs, CultureInfo.InvariantCulture),
                TimeSpan.FromSeconds(double.Parse(time, CultureInfo.InvariantCulture))
            );
        }

        await Console.Error.WriteLineAsync("Run these tests with `dotnet test`.");
        return 2;
    }
}
