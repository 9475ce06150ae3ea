using System.Text;
using System.Text.Json;
using Pipeline.Etl.Runner;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>Documents <c>things/N</c> of a shop, and waiting for the task that sends them.</summary>
internal static class Things
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    /// <summary>
    /// Stores <paramref name="count"/> documents, numbered from <paramref name="from"/>, each in a separate change.
    /// </summary>
    public static async Task PutAsync(Shop shop, int from, int count, int textBytes = 0)
    {
        var text = new string('x', textBytes);
        for (var n = from; n < from + count; n++)
        {
            await shop.Database.PutAsync(
                $"things/{n}",
                Encoding.UTF8.GetBytes(
                    JsonSerializer.Serialize(
                        new Dictionary<string, object>
                        {
                            ["N"] = n,
                            ["Text"] = text,
                            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Things" },
                        }
                    )
                )
            );
        }
    }

    /// <summary>The ids of the messages that a task which sends one for each change must have sent.</summary>
    public static IEnumerable<string> Ids(Shop shop, string task) =>
        Enumerable
            .Range(1, (int)shop.Database.LastPosition)
            .Select(p => $"{shop.DatabaseId}/{task}/{p}/0")
            .Order(StringComparer.Ordinal);

    /// <summary>Waits until the host's only task is so.</summary>
    public static async Task<EtlTaskStatus> UntilAsync(EtlHost host, Func<EtlTaskStatus, bool> condition)
    {
        using var late = new CancellationTokenSource(Timeout);
        while (true)
        {
            var status = host.GetStatus().Single();
            if (condition(status))
                return status;
            if (late.IsCancellationRequested)
                throw new TimeoutException($"the task did not get there: {status}");
            await Task.Delay(20, CancellationToken.None);
        }
    }

    /// <summary>Waits until the task has sent everything.</summary>
    public static Task<EtlTaskStatus> UntilSentAsync(EtlHost host, Shop shop) =>
        UntilAsync(host, s => s.Position == shop.Database.LastPosition);
}
