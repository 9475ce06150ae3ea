using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Xunit;

namespace Pipeline.Database.Tests.Events;

public sealed class StreamEncryptionTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-keys-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_destroyed_key_takes_a_stream_away_and_no_other()
    {
        var data = Path.Combine(_folder, "data");
        await using (var db = Open(data))
        {
            foreach (var stream in new[] { "customer-1", "customer-2", "plain" })
            {
                await db.Events.AppendAsync(
                    stream,
                    [
                        new EventData
                        {
                            Payload = Encoding.UTF8.GetBytes("secret of " + stream),
                            Tags = ["t"],
                            Document = DocumentDraft.Parse("""{"copy":"secret"}"""u8),
                        },
                    ]
                );
                await db.WriteAsync(t =>
                    t.SaveSnapshot(
                        stream,
                        new StreamSnapshot
                        {
                            SequenceNumber = 1,
                            Timestamp = db.UtcNow,
                            Payload = Encoding.UTF8.GetBytes("state of " + stream),
                        }
                    )
                );
            }

            using var snapshot = db.OpenSnapshot();
            Assert.Equal(["events/plain/0000000000000000001"], snapshot.GetByPrefix("events/").Select(d => d.Id));
            Assert.Equal(["secret of customer-1", "secret of customer-2", "secret of plain"], Read(db));
        }

        Assert.False(Contains(data, "secret of customer"), "an encrypted payload is on the disk");
        Assert.False(Contains(data, "state of customer"), "an encrypted snapshot is on the disk");
        Assert.True(Contains(data, "secret of plain"));
        await using (var db = Open(data))
        {
            Assert.Equal(["secret of customer-1", "secret of customer-2", "secret of plain"], Read(db));
            db.Events.DestroyKey("customer-1");
            Check(db);
        }

        await using var again = Open(data);
        Check(again);
        await Assert.ThrowsAsync<StreamKeyDestroyedException>(() =>
            again.Events.AppendAsync("customer-1", [new EventData { Payload = "x"u8.ToArray() }])
        );

        static void Check(DocumentDatabase db)
        {
            Assert.Equal(["destroyed", "secret of customer-2", "secret of plain"], Read(db));
            using var snapshot = db.OpenSnapshot();
            Assert.Throws<StreamKeyDestroyedException>(() =>
                snapshot.LoadSnapshot("customer-1", StreamSnapshotCriteria.All)
            );
            Assert.Equal(
                "state of customer-2",
                Encoding.UTF8.GetString(snapshot.LoadSnapshot("customer-2", StreamSnapshotCriteria.All)!.Payload.Span)
            );
        }
    }

    [Fact]
    public async Task A_payload_opens_in_its_own_place_only()
    {
        var key = new byte[32];
        var payload = PayloadCipher.Seal(key, "a", 1, "x"u8);
        Assert.Equal("x"u8.ToArray(), PayloadCipher.Open(key, "a", 1, payload, "test"));
        Assert.Throws<DatabaseCorruptException>(() => PayloadCipher.Open(key, "a", 2, payload, "test"));
        Assert.Throws<DatabaseCorruptException>(() => PayloadCipher.Open(key, "b", 1, payload, "test"));
        Assert.Throws<DatabaseCorruptException>(() =>
            PayloadCipher.Open(key, "a", PayloadCipher.SnapshotNumber(1), payload, "test")
        );
        await Task.CompletedTask;
    }

    private DocumentDatabase Open(string path) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = path,
                Events = new EventOptions
                {
                    Keys = new FolderStreamKeys(Path.Combine(_folder, "keys")),
                    Encrypt = id => id.StartsWith("customer-", StringComparison.Ordinal),
                },
            }
        );

    private static string[] Read(DocumentDatabase db)
    {
        using var batch = db.Events.Read(0, EventFilter.WithTag("t"));
        return [.. batch.Select(e => e.IsKeyDestroyed ? "destroyed" : Encoding.UTF8.GetString(e.Payload.Span))];
    }

    private static bool Contains(string folder, string text) =>
        Directory
            .EnumerateFiles(folder, "*", SearchOption.AllDirectories)
            .Any(f => File.ReadAllBytes(f).AsSpan().IndexOf(Encoding.UTF8.GetBytes(text)) >= 0);
}
