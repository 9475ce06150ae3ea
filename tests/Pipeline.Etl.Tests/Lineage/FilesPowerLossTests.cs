using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Files;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>
/// Messages that the files sink confirmed survive a power cut at any moment, whatever kills came before.
/// </summary>
public sealed class FilesPowerLossTests
{
    [Fact]
    public async Task Lines_that_a_killed_run_left_unsynced_are_synced_before_they_count_as_sent()
    {
        using var disk = new SimulatedDisk();
        disk.Fault = e =>
            e.Kind == DiskEventKind.Sync && disk.Get(disk.Paths[0]).Length > 0 ? new KilledException() : null;
        await using (var first = Connector(disk))
            await Assert.ThrowsAsync<KilledException>(() => SendAsync(first, 1, 3));
        Assert.NotEmpty(disk.Get(disk.Paths[0]));
        disk.Fault = null;
        await using (var second = Connector(disk))
            await SendAsync(second, 1, 3);
        disk.Mark(3);
        AssertConfirmedIsThere(disk, new Random(1));
    }

    [Fact]
    public async Task Whatever_is_confirmed_outlives_kills_and_power_cuts_at_any_step()
    {
        var crashes = 0;
        for (var seed = 1; seed <= 150; seed++)
        {
            var random = new Random(seed);
            using var disk = new SimulatedDisk();
            long confirmed = 0;
            while (confirmed < 12)
            {
                var fatal = random.Next(1, 12);
                disk.Fault = _ => --fatal == 0 ? new KilledException() : null;
                await using var connector = Connector(disk);
                try
                {
                    using var sink = new Sink(connector);
                    while (confirmed < 12)
                    {
                        var next = confirmed + random.Next(1, 4);
                        await sink.SendAsync(confirmed + 1, next);
                        disk.Mark(confirmed = next);
                    }
                }
                catch (KilledException)
                {
                    crashes++;
                }
            }

            AssertConfirmedIsThere(disk, random);
        }

        Assert.True(crashes > 150, $"{crashes} kills");
    }

    private static void AssertConfirmedIsThere(SimulatedDisk disk, Random random)
    {
        using var replay = new CrashReplay();
        foreach (var happening in disk.Log)
        {
            replay.Apply(happening);
            foreach (var mode in (CrashMode[])[CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix])
            {
                using var after = replay.Crash(random, mode);
                var there = after.Paths.Count == 0 ? [] : Positions(after.Get(after.Paths[0]));
                Assert.Equal(
                    [],
                    Enumerable.Range(1, (int)Math.Max(0, replay.LastMark)).Select(p => (long)p).Except(there)
                );
            }
        }
    }

    private static long[] Positions(byte[] bytes)
    {
        var lines = Encoding.UTF8.GetString(bytes).Split('\n');
        var positions = new List<long>();
        foreach (var line in lines[..^1].Where(l => l.StartsWith('{') && l.EndsWith('}')))
        {
            try
            {
                positions.Add(JsonDocument.Parse(line).RootElement.GetProperty("data").GetInt64());
            }
            catch (JsonException)
            {
                // A torn write, which nothing has confirmed.
                positions.Add(-1);
            }
        }

        return [.. positions];
    }

    private static FilesConnector Connector(SimulatedDisk disk) =>
        new(
            new FilesOptions { Directory = "/out" },
            new ConnectorContext("c", Path.GetFullPath("/"), TimeProvider.System, NullLoggerFactory.Instance)
        )
        {
            Files = new SimulatedAppendFiles(disk),
        };

    private static async Task SendAsync(FilesConnector connector, long from, long to)
    {
        using var sink = new Sink(connector);
        await sink.SendAsync(from, to);
    }

    private sealed class KilledException : Exception;

    private sealed class Sink(FilesConnector connector) : IDisposable
    {
        private bool _isConnected;
        private readonly IMessageSink _sink = connector.CreateSink(
            new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance)
        );

        public async Task SendAsync(long from, long to)
        {
            OutgoingMessage[] messages =
            [
                .. Enumerable
                    .Range((int)from, (int)(to - from + 1))
                    .Select(n => new OutgoingMessage
                    {
                        Destination = "out",
                        Id = $"db/t/{n}/0",
                        Source = "/s",
                        Type = "put",
                        Subject = $"things/{n}",
                        Time = DateTimeOffset.UnixEpoch,
                        Body = Encoding.UTF8.GetBytes($"{n}"),
                        Position = n,
                    }),
            ];
            if (!_isConnected)
                await _sink.ConnectAsync(default);
            _isConnected = true;
            await _sink.SendAsync(new MessageBatch(messages, to), default);
        }

        public void Dispose() => _sink.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
