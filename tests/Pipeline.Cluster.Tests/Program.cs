using System.Globalization;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Cluster.Tests.Node;
using Pipeline.Cluster.Tests.Store;

namespace Pipeline.Cluster.Tests;

/// <summary>The child processes of tests; `dotnet test` does not come here.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        if (args is ["append", var folder, var seed])
            return await AppendChild.RunAsync(folder, int.Parse(seed, CultureInfo.InvariantCulture));
        if (args is [var what and ("simulate" or "stores"), var mode, var first, var count, var fault, .. var rest])
        {
            var from = int.Parse(first, CultureInfo.InvariantCulture);
            var number = int.Parse(count, CultureInfo.InvariantCulture);
            Action<string>? trace = rest is ["trace"] ? Console.WriteLine : null;
            if (what == "stores")
            {
                var planted = Enum.Parse<StoreFault>(fault);
                var stores = StoreSchedules.Run(mode == "tail", from, number, planted, Console.WriteLine, trace);
                Console.WriteLine(stores);
                return stores.Bad.Count == 0 ? 0 : 1;
            }
            var (byTail, wildClocks, host) = (mode == "tail", mode == "clocks", Enum.Parse<HostFault>(fault));
            var nodes = Schedules.Run(byTail, from, number, host, wildClocks, Console.WriteLine, trace);
            Console.WriteLine(nodes);
            return nodes.Bad.Count == 0 ? 0 : 1;
        }

        await Console.Error.WriteLineAsync("Run these tests with `dotnet test`.");
        return 2;
    }
}
