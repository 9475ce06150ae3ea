using System.Buffers.Binary;
using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Documents.Maintenance;
using Pipeline.Json;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Maintenance;

/// <summary>What half a change would leave behind, each kind planted by itself: the check names it.</summary>
public sealed class PlantedDamageTests
{
    private static readonly Dictionary<string, Action<WriteTransaction>> Damages = new()
    {
        ["its id leads to this position, which has no record"] = t =>
            t.OpenTree(DatabaseTrees.Documents).Delete(Position(1)),
        ["its id leads nowhere"] = t => t.OpenTree(DatabaseTrees.Ids).Delete("docs/1"u8),
        ["it is missing in tree 'collection/1'"] = t => t.OpenTree(DatabaseTrees.Live(1)).Delete(Position(1)),
        ["tree 'collection/1' lists this position, which has no record"] = t =>
            t.OpenTree(DatabaseTrees.Live(1)).Put(Position(99), default),
        ["tree 'collection/1' counts 4 records, 3 are there"] = t =>
            t.OpenTree(DatabaseTrees.Live(1)).Put(Position(99), default),
        ["tree 'tombstones/1' lists this position, whose record belongs to tree 'collection/1'"] = t =>
            t.CreateTree(DatabaseTrees.Tombstones(1)).Put(Position(1), default),
        ["its id says that it has attachments, and there are none"] = t => t.DropTree(DatabaseTrees.Attachments),
        ["it does not know of its attachment 'a'"] = t =>
        {
            var ids = t.OpenTree(DatabaseTrees.Ids);
            ids.TryGet("docs/3"u8, out var entry);
            var changed = entry.ToArray();
            changed[8] = 0;
            ids.Put("docs/3"u8, changed);
        },
        ["the version is not found by its id"] = t => t.OpenTree(DatabaseTrees.RevisionIds).Delete(Revision(2)),
        ["its id refers to the version at this position, which has no record"] = t =>
            t.OpenTree(DatabaseTrees.Revisions).Delete(Position(2)),
        ["the version is missing in tree 'revisions/1'"] = t =>
            t.OpenTree(DatabaseTrees.RevisionsOf(1)).Delete(Position(2)),
        ["the version is among the replaced ones, and the documents have it too"] = t =>
        {
            t.OpenTree(DatabaseTrees.Revisions).TryGet(Position(2), out var record);
            t.OpenTree(DatabaseTrees.Documents).Put(Position(2), record);
        },
        ["the version's document is unknown: neither it nor its deletion exists"] = t =>
        {
            t.OpenTree(DatabaseTrees.Ids).Delete("docs/2"u8);
            t.OpenTree(DatabaseTrees.Documents).Delete(Position(3));
            t.OpenTree(DatabaseTrees.Live(1)).Delete(Position(3));
        },
        ["the version is of collection number 1, its id says 7"] = t => Entry(t, e => e with { CollectionId = 7 }),
        ["the version has the number 0, the one before it 0"] = t => Entry(t, e => e with { Ordinal = 0 }),
        ["the event is not found by its position"] = t => t.OpenTree(DatabaseTrees.EventPositions).Delete(Position(6)),
        ["the position leads to event 1 of stream number 1, which is missing"] = t =>
            t.OpenTree(DatabaseTrees.Events).Delete(Event(1)),
        ["the event is not found by its tag 'red'"] = t => t.OpenTree(DatabaseTrees.EventTags).Delete(Tag(6)),
        ["the tag 'red' leads to event 9 of stream number 1, which is missing"] = t =>
            t.OpenTree(DatabaseTrees.EventTags).Put(Tag(99), Event(9)),
        ["the event has the position of a document that is not its own"] = t =>
        {
            t.OpenTree(DatabaseTrees.Documents).TryGet(Position(1), out var record);
            t.OpenTree(DatabaseTrees.Documents).Put(Position(6), record);
        },
        ["the event exists, but its stream, number 1, says that events up to 1 are deleted"] = t =>
            new StreamEntry(1, 1).Write(t.OpenTree(DatabaseTrees.EventStreams).Reserve("s"u8, StreamEntry.Bytes)),
        ["the stream 's' has a number that does not lead to it"] = t => t.DropTree(DatabaseTrees.EventStreamIds),
        ["snapshot 1 is of the stream 't', which is missing"] = t =>
            t.OpenTree(DatabaseTrees.StreamSnapshots)
                .Put("t\0\0\0\0\0\0\0\0\u0001"u8, new byte[SnapshotRecord.HeaderBytes]),
        ["the compare-exchange value 'k' has the index 1, and the last one given is 0"] = t =>
            t.OpenTree(DatabaseTrees.Meta).Delete("compare-exchange"u8),
        ["the compare-exchange value 'k' is under another key"] = t =>
        {
            t.OpenTree(DatabaseTrees.CompareExchange).TryGet("k"u8, out var value);
            t.OpenTree(DatabaseTrees.CompareExchange).Put("l"u8, value);
        },
        ["the database has no id"] = t => t.OpenTree(DatabaseTrees.Meta).Delete("database-id"u8),
        ["its lineages cannot be read"] = t => t.OpenTree(DatabaseTrees.Meta).Put("lineages"u8, "{"u8),
        ["the list of the feed's consumers cannot be read"] = t =>
            t.CreateTree(DatabaseTrees.State).Put("consumers"u8, "{"u8),
        ["and the last one given is 0"] = t => t.OpenTree(DatabaseTrees.Meta).Delete("attachments"u8),
    };

    public static TheoryData<string> Names => [.. Damages.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Each_is_found_and_named(string problem)
    {
        using var disk = new SimulatedDisk(record: false);
        await MakeAsync(disk);
        Assert.Empty(Check(disk).Problems);
        using (var storage = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk }))
            await storage.WriteAsync(Damages[problem]);

        var report = Check(disk);

        Assert.True(report.Storage.IsSound, string.Join("; ", report.Storage.Problems));
        Assert.False(report.IsSound);
        Assert.True(
            report.Problems.Any(p => p.Reason.Contains(problem, StringComparison.Ordinal)),
            string.Join("; ", report.Problems.Select(p => p.Reason))
        );
    }

    /// <summary>
    /// Positions: docs/1 has 1, docs/2 has 2 and then 3, docs/3 has 4 and, with its attachment, 5; the event has 6.
    /// </summary>
    private static async Task MakeAsync(SimulatedDisk disk)
    {
        await using var db = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = disk,
            }
        );
        await db.PutAsync("docs/1", Text(1));
        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        await db.PutAsync("docs/2", Text(1));
        await db.PutAsync("docs/2", Text(2));
        await db.Revisions.ConfigureAsync(RevisionConfiguration.None);
        await db.PutAsync("docs/3", Text(1));
        await db.Attachments.PutAsync("docs/3", "a", new MemoryStream([1, 2, 3]));
        await db.WriteAsync(t =>
        {
            t.AppendEvents("s", [new EventData { Payload = new byte[] { 1 }, Tags = ["red"] }]);
            t.SaveSnapshot(
                "s",
                new StreamSnapshot
                {
                    SequenceNumber = 1,
                    Timestamp = DateTimeOffset.UnixEpoch,
                    Payload = new byte[] { 2 },
                }
            );
            return t.PutCompareExchange("k", BinaryJson.Parse("{}"u8), 0);
        });
        Assert.Equal(6, db.LastPosition);
    }

    private static DatabaseCheckReport Check(SimulatedDisk disk) =>
        DatabaseCheck.Run(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = disk,
            }
        );

    private static byte[] Text(int n) =>
        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"Docs"} }""");

    private static byte[] Position(long position)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, position);
        return key;
    }

    private static byte[] Revision(long position)
    {
        var key = new byte[RevisionKeys.MaxBytes];
        return key[..RevisionKeys.Write(key, "docs/2"u8, position)];
    }

    private static void Entry(WriteTransaction t, Func<RevisionEntry, RevisionEntry> change)
    {
        var ids = t.OpenTree(DatabaseTrees.RevisionIds);
        ids.TryGet(Revision(2), out var value);
        change(RevisionEntry.Read(value, "test")).Write(ids.Reserve(Revision(2), RevisionEntry.Bytes));
    }

    private static byte[] Event(long sequence)
    {
        var key = new byte[EventKeys.EventBytes];
        EventKeys.WriteEvent(key, 1, sequence);
        return key;
    }

    private static byte[] Tag(long position)
    {
        var key = new byte[EventKeys.MaxTagKeyBytes];
        return key[..EventKeys.WriteTag(key, "red"u8, position)];
    }
}
