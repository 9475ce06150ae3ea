using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Documents.Maintenance;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests;

/// <summary>
/// A write function that catches an error between changes that belong together commits nothing, and its caller learns
/// why.
/// </summary>
public sealed class CaughtErrorTests
{
    private static readonly Dictionary<string, Scenario> Scenarios = new()
    {
        ["events: the second has too long a manifest"] = new(
            _ => Task.CompletedTask,
            t =>
                t.AppendEvents(
                    "s",
                    [
                        new EventData { Payload = new byte[] { 1 } },
                        new EventData { Payload = default, Manifest = new string('m', 5000) },
                    ]
                ),
            null
        ),
        ["put: the attachments cannot be read"] = new(
            async db =>
            {
                await db.PutAsync("docs/1", "{}"u8.ToArray());
                await db.Attachments.PutAsync("docs/1", "a", new MemoryStream([1, 2, 3]));
                await db.Storage.WriteAsync(t =>
                    t.OpenTree(DatabaseTrees.Attachments).Put(AttachmentKeys.Of("docs/1"u8, "a"), "short"u8)
                );
            },
            t => t.Put("docs/1", "{}"u8),
            "its id leads to this position, which has no record"
        ),
        ["delete: the former version's entry cannot be read"] = new(
            PutVersionsAsync,
            t => t.Delete("docs/1"),
            "the version is among the replaced ones, and the documents have it too"
        ),
        ["put: the former version's entry cannot be read"] = new(
            PutVersionsAsync,
            t => t.Put("docs/1", "{}"u8),
            "the version is not found by its id"
        ),
        ["batch: the second command conflicts"] = new(
            _ => Task.CompletedTask,
            t =>
                new DocumentBatch()
                    .Put("docs/1", "{}"u8)
                    .Put("docs/2", "{}"u8, expectedChangeVector: "A:7-x")
                    .Execute(t),
            null
        ),
        ["patch: the script throws after it stored"] = new(
            db => db.PutAsync("docs/1", "{}"u8.ToArray()),
            t =>
                t.Patch(
                    "docs/1",
                    new DocumentPatch(
                        JavaScriptCompiler.CompilePatch("put('docs/2', { A: 1 }); throw 'no';").Script!,
                        BinaryJson.Parse("{}"u8)
                    )
                ),
            null
        ),
        ["attachment: the content's count cannot be read"] = new(
            async db =>
            {
                await db.PutAsync("docs/1", "{}"u8.ToArray());
                await db.Attachments.PutAsync("docs/1", "a", new MemoryStream([1, 2, 3]));
                await db.Storage.WriteAsync(t => t.DropTree(DatabaseTrees.AttachmentContents));
            },
            t => t.DeleteAttachment("docs/1", "a"),
            "its id says that it has attachments, and there are none"
        ),
    };

    public static TheoryData<string, bool> Cases
    {
        get
        {
            var cases = new TheoryData<string, bool>();
            foreach (var name in Scenarios.Keys)
            {
                cases.Add(name, false);
                cases.Add(name, true);
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Half_a_change_is_not_committed(string name, bool planted)
    {
        var scenario = Scenarios[name];
        using var disk = new SimulatedDisk(record: false);
        Exception? within = null,
            error;
        long before,
            after;
        string[] problems;
        await using (var db = Open(disk, StorageFaults.None))
            await scenario.Prepare(db);
        problems = Problems(disk);
        await using (var db = Open(disk, planted ? StorageFaults.CommitIncompleteOperations : StorageFaults.None))
        {
            before = Changes(db);
            error = await Record.ExceptionAsync(() =>
                db.WriteAsync(t => within = Record.Exception(() => scenario.Act(t)))
            );
            after = Changes(db);
            if (!planted)
                await db.PutAsync("docs/later", "{}"u8.ToArray());
        }

        Assert.NotNull(within);
        if (planted)
        {
            Assert.Null(error);
            Assert.True(after > before, "the planted bug commits nothing");
            if (scenario.Problem is not null)
            {
                Assert.Contains(
                    scenario.Problem,
                    Problems(disk).Except(problems).Select(p => p[(p.IndexOf(": ", StringComparison.Ordinal) + 2)..])
                );
            }

            return;
        }

        Assert.Same(within, Assert.IsType<IncompleteOperationException>(error).InnerException);
        Assert.Equal(before, after);
        Assert.Equal(problems, Problems(disk));
    }

    [Fact]
    public async Task An_error_before_the_first_change_of_what_failed_takes_nothing_with_it()
    {
        await using var db = TestDatabase.Open();
        await db.PutAsync("docs/1", "{}"u8.ToArray());
        await db.WriteAsync(t =>
        {
            t.Put("docs/2", "{}"u8);
            Assert.Throws<ConcurrencyException>(() => t.Put("docs/1", "{}"u8, expectedChangeVector: ""));
            Assert.Throws<ConcurrencyException>(() => t.Delete("docs/1", expectedChangeVector: "A:7-x"));
            Assert.Throws<JsonFormatException>(() => t.Put("docs/3", "{"u8));
            Assert.Throws<InvalidDocumentIdException>(() => t.Put(new string('x', 600), "{}"u8));
            Assert.Throws<AttachmentException>(() => t.CopyAttachment("docs/1", "a", "docs/2"));
            Assert.Throws<EventConflictException>(() =>
                t.AppendEvents("s", [new EventData { Payload = default }], expectedSequence: 4)
            );
            Assert.Throws<InvalidEventException>(() =>
                t.AppendEvents("s", [new EventData { Payload = default, Manifest = new string('m', 5000) }])
            );
        });
        using var snapshot = db.OpenSnapshot();
        Assert.True(snapshot.TryGet("docs/2", out _));
        Assert.Equal(2, db.LastPosition);
    }

    private static async Task PutVersionsAsync(DocumentDatabase db)
    {
        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        for (var i = 0; i < 3; i++)
            await db.PutAsync("docs/1", Encoding.UTF8.GetBytes($$"""{"N":{{i}}}"""));
        var key = new byte[RevisionKeys.MaxBytes];
        var length = RevisionKeys.Write(key, "docs/1"u8, 2);
        await db.Storage.WriteAsync(t => t.OpenTree(DatabaseTrees.RevisionIds).Put(key.AsSpan(0, length), "short"u8));
    }

    /// <summary>The last transaction that changed something.</summary>
    private static long Changes(DocumentDatabase db)
    {
        using var read = db.Storage.BeginRead();
        return read.Id;
    }

    private static string[] Problems(SimulatedDisk disk) =>
        [
            .. DatabaseCheck
                .Run(
                    new DatabaseOptions
                    {
                        Name = "test",
                        Path = "/db",
                        Files = disk,
                    }
                )
                .Problems.Select(p => $"{p.DocumentId} {p.Position}: {p.Reason}"),
        ];

    private static DocumentDatabase Open(SimulatedDisk disk, StorageFaults faults) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = disk,
                Storage = new StorageOptions { Faults = faults },
            }
        );

    private sealed record Scenario(
        Func<DocumentDatabase, Task> Prepare,
        Action<DocumentTransaction> Act,
        string? Problem
    );
}
