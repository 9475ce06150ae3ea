using System.Text;
using Pipeline.Documents.Events;
using Pipeline.Documents.Maintenance;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Events;

public sealed class EventSalvageTests
{
    [Fact]
    public async Task What_leads_to_events_is_made_anew_from_them()
    {
        using var disk = new SimulatedDisk();
        await using (var db = Open(disk, "/db"))
        {
            for (var i = 1; i <= 30; i++)
            {
                await db.Events.AppendAsync(
                    $"s{i % 3}",
                    [new EventData { Payload = Encoding.UTF8.GetBytes($"{i}"), Tags = i % 2 == 0 ? ["even"] : [] }]
                );
            }

            await db.Events.DeleteAsync("s0", long.MaxValue);
            byte[] second = [0, 0, 0, 0, 0, 0, 0, 2];
            await db.Storage.WriteAsync(t =>
            {
                t.DropTree("event-tags");
                t.CreateTree("event-stream-ids").Delete(second);
                t.CreateTree("event-streams").Delete("s1"u8);
                t.CreateTree("event-positions").Delete([0, 0, 0, 0, 0, 0, 0, 5]);
            });
        }

        Assert.False(Check(disk, "/db").IsSound);
        await DatabaseSalvage.RunAsync(Options(disk, "/db"), Options(disk, "/salvaged"));
        var report = Check(disk, "/salvaged");
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
        await using var salvaged = Open(disk, "/salvaged");
        Assert.Equal(
            ["s2/1", "s2/2", "s2/3", "s2/4", "s2/5", "s2/6", "s2/7", "s2/8", "s2/9", "s2/10"],
            Read(salvaged, EventFilter.All).Where(e => e.StartsWith("s2", StringComparison.Ordinal))
        );
        Assert.Equal(
            ["s2/1", "s2/3", "s2/5", "s2/7", "s2/9"],
            Read(salvaged, EventFilter.WithTag("even")).Where(e => e.StartsWith("s2", StringComparison.Ordinal))
        );
        Assert.Equal(10, await salvaged.Events.GetHighestSequenceAsync("s0"));
        Assert.Equal(
            31,
            (await salvaged.Events.AppendAsync("s0", [new EventData { Payload = "next"u8.ToArray() }])).LastPosition
        );
    }

    private static DatabaseOptions Options(SimulatedDisk disk, string path) =>
        new()
        {
            Name = "test",
            Path = path,
            Files = disk,
        };

    private static DocumentDatabase Open(SimulatedDisk disk, string path) => DocumentDatabase.Open(Options(disk, path));

    private static DatabaseCheckReport Check(SimulatedDisk disk, string path) => DatabaseCheck.Run(Options(disk, path));

    private static string[] Read(DocumentDatabase db, EventFilter filter)
    {
        using var batch = db.Events.Read(0, filter);
        return [.. batch.Select(e => $"{e.StreamId}/{e.SequenceNumber}")];
    }
}
