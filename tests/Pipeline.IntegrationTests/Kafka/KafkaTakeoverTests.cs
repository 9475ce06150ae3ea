using System.Diagnostics;
using System.Globalization;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>How soon the next instance of a task sends, as at a new leader of a cluster, while a broker is dead.</summary>
[Collection(BrokerOutages.Name)]
public sealed class KafkaTakeoverTests(ITestOutputHelper output)
{
    /// <summary>Kafka needs 3 s here to replace a dead broker, and a busy machine more.</summary>
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(20);
    private readonly string _databaseId = Guid.NewGuid().ToString("N");

    [SkippableFact]
    public async Task The_next_instance_of_a_task_sends_soon_after_any_broker_has_died()
    {
        await using var brokers = new KafkaCluster([]);
        await brokers.StartAsync((_, _) => 0);
        var position = 1L;
        await TakeOverAsync(brokers, position);
        await MeasureAsync("no broker is dead");
        // One of them has the task's positions, and one its transactions.
        for (var broker = 0; broker < KafkaCluster.Count; broker++)
        {
            await brokers.KillAsync(broker);
            Assert.InRange(await MeasureAsync($"broker {broker} is dead"), TimeSpan.Zero, Most);
            await brokers.StartAsync(broker);
            await MeasureAsync($"broker {broker} is back");
        }

        async Task<TimeSpan> MeasureAsync(string when)
        {
            var took = await TakeOverAsync(brokers, ++position);
            output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{when}: {took.TotalSeconds:0.0} s"));
            return took;
        }
    }

    /// <summary>Connects as a process that has just begun does, and sends a batch.</summary>
    private async Task<TimeSpan> TakeOverAsync(KafkaCluster brokers, long position)
    {
        using var log = new CapturedLines();
        var began = Stopwatch.GetTimestamp();
        await using var connector = Sinks.Connector(new KafkaOptions { BootstrapServers = brokers.Endpoint }, log);
        await using var sink = Sinks.Sink(connector, "takeover", _databaseId, log);
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                // From a lower position the task would send committed messages again.
                Assert.Equal(position == 1 ? null : position - 1, await sink.ConnectAsync(default));
                await sink.SendAsync(Messages.Batch([Messages.Make("takeover", position)]), default);
                break;
            }
            catch (ConnectorException e) when (e.IsTransient && attempt < 20)
            {
                output.WriteLine($"  after {Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s: {e.Message}");
                await Task.Delay(500 << Math.Min(attempt - 1, 4));
            }
        }
        foreach (
            var line in log
                .Messages.Select(m => m.Text)
                .Where(m => m.Contains("connected in", StringComparison.Ordinal))
        )
        {
            output.WriteLine("  " + line);
        }
        return Stopwatch.GetElapsedTime(began);
    }
}
