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
        if (args is ["simulate", var mode, var first, var count, var fault, .. var rest])
        {
            return Schedules.Run(
                mode == "tail",
                int.Parse(first, CultureInfo.InvariantCulture),
                int.Parse(count, CultureInfo.InvariantCulture),
                Enum.Parse<HostFault>(fault),
                rest is ["trace"]
            );
        }

        if (args is ["stores", var how, var from, var number, var planted, .. var last])
        {
            var total = StoreSchedules.Run(
                how == "tail",
                int.Parse(from, CultureInfo.InvariantCulture),
                int.Parse(number, CultureInfo.InvariantCulture),
                Enum.Parse<StoreFault>(planted),
                Console.WriteLine,
                last is ["trace"] ? Console.WriteLine : null
            );
            Console.WriteLine(total);
            return total.Bad.Count == 0 ? 0 : 1;
        }

        await Console.Error.WriteLineAsync("Run these tests with `dotnet test`.");
        return 2;
    }
}
