using System.IO.Compression;
using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Documents.Transfer;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests.Transfer;

/// <summary>The parts of an export other than documents.</summary>
public sealed class PartLinesTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-parts-").FullName;
    private readonly DocumentDatabase _db = TestDatabase.Open();
    private readonly byte[] _large = new byte[700_000];

    public async Task InitializeAsync()
    {
        new Random(3).NextBytes(_large);
        await _db.PutAsync("films/1", """{"@metadata":{"@collection":"Films"},"Title":"M"}"""u8.ToArray());
        await _db.PutAsync(
            "people/1",
            """{"@metadata":{"@collection":"People"},"Note":"\"@export-type\" in a text"}"""u8.ToArray()
        );
        await _db.Attachments.PutAsync("films/1", "poster.png", new MemoryStream(_large), "image/png");
        await _db.Attachments.PutAsync("films/1", "empty", new MemoryStream());
        await _db.Attachments.PutAsync("people/1", "photo", new MemoryStream([1, 2, 3]), "image/gif");
        await _db.Events.AppendAsync(
            "account-1",
            _db.Events.WithDocuments(
                "account-1",
                [Event(1, """{"Cents":5}""", "w1"), Event(2, """{"Cents":6}""", "w1")],
                "Events"
            )
        );
        await _db.Events.AppendAsync("account-2", [Event(1, "no JSON", "w2", "red", "green")]);
        await _db.Events.AppendAsync("account-1", [Event(7, "later", "w3")]);
        foreach (var number in new[] { 1L, 7L })
        {
            await _db.WriteAsync(t =>
                t.SaveSnapshot(
                    "account-1",
                    new StreamSnapshot
                    {
                        SequenceNumber = number,
                        Timestamp = DateTimeOffset.UnixEpoch.AddDays(number),
                        SerializerId = 4,
                        Manifest = "state",
                        Payload = new byte[] { 9, (byte)number },
                    },
                    null
                )
            );
        }

        await _db.WriteAsync(t => t.PutCompareExchange("users/Ann", BinaryJson.Parse("""{"Id":"users/1"}"""u8), 0));
        await _db.WriteAsync(t => t.PutCompareExchange("lock", BinaryJson.Parse("17"u8), 0));
    }

    public async Task DisposeAsync()
    {
        await _db.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("all.jsonl")]
    [InlineData("all.jsonl.gz")]
    public async Task Attachments_events_snapshots_and_compare_exchange_are_read_back_once_however_often(string name)
    {
        var file = await ExportAsync(name);
        await using var other = TestDatabase.Open();
        for (var i = 0; i < 2; i++)
        {
            var report = await JsonLinesImport.ImportAsync(
                other,
                [file],
                new ImportOptions { PlaceKey = i == 0 ? "import" : null }
            );
            Assert.Equal((4, 0), (report.Imported, report.Failed));
            AssertSame(other);
        }
    }

    [Fact]
    public async Task Events_before_the_damage_of_a_compressed_file_are_stored()
    {
        string[] events =
        [
            .. (await File.ReadAllLinesAsync(await ExportAsync("all.jsonl"))).Where(l =>
                l.Contains("\"@export-type\":\"Event\"", StringComparison.Ordinal)
            ),
        ];
        var file = Path.Combine(_folder, "cut.jsonl.gz");
        await using (var zip = new GZipStream(File.Create(file), CompressionLevel.Optimal))
            await zip.WriteAsync(Encoding.UTF8.GetBytes(string.Join('\n', events) + "\n"));
        await File.WriteAllBytesAsync(file, (await File.ReadAllBytesAsync(file))[..^4]);
        await using var other = TestDatabase.Open();
        var report = await JsonLinesImport.ImportAsync(
            other,
            [file],
            new ImportOptions { OnError = ImportErrorHandling.Skip }
        );
        Assert.Equal(1, report.Failed);
        using var stored = other.Events.Read(0, null, new ChangeLimits(100, 1 << 20));
        Assert.Equal(events.Length, stored.Count);
    }

    [Fact]
    public async Task Events_are_read_back_with_their_documents()
    {
        var file = await ExportAsync("all.jsonl");
        await using var other = TestDatabase.Open();
        await JsonLinesImport.ImportAsync(other, [file]);
        await other.Events.DeleteAsync("account-1", 1);
        using var left = other.OpenSnapshot();
        Assert.Equal([EventDocumentId.Of("account-1", 2)], left.GetByCollection("Events").Select(d => d.Id));
    }

    [Fact]
    public async Task One_collection_comes_with_its_attachments_alone()
    {
        var file = Path.Combine(_folder, "films.jsonl");
        using (var snapshot = _db.OpenSnapshot())
            await JsonLinesExport.ExportFileAsync(snapshot, file, "films");
        var lines = await File.ReadAllLinesAsync(file);
        Assert.Equal(1 + 1 + 4, lines.Length);
        Assert.DoesNotContain(
            lines,
            l => l.Contains("people/1", StringComparison.Ordinal) || l.Contains("account", StringComparison.Ordinal)
        );
    }

    [Theory]
    [InlineData("\"Offset\":196608", null, "ends before it after 196,608 of 700,000 bytes")]
    [InlineData(
        "\"Offset\":0,\"Content\":\"AQID",
        "\"Offset\":0,\"Content\":\"AAAAQID",
        "it is not a complete line of the kind 'Attachment'"
    )]
    [InlineData(
        "\"@export-type\":\"Event\",",
        "\"@export-type\":\"Else\",",
        "'Else' is not a kind of line that this version knows"
    )]
    [InlineData(
        "\"SequenceNumber\":7,\"SerializerId\":",
        "\"SequenceNumber\":\"7\",\"SerializerId\":",
        "it is not a complete line of the kind 'Event"
    )]
    public async Task With_abort_a_line_that_is_not_whole_means_that_nothing_is_imported(
        string line,
        string? replacement,
        string problem
    )
    {
        var file = await ExportAsync("all.jsonl");
        var lines = await File.ReadAllLinesAsync(file);
        var at = Array.FindIndex(lines, l => l.Contains(line, StringComparison.Ordinal));
        Assert.True(at > 0);
        await File.WriteAllLinesAsync(
            file,
            replacement is null
                ? lines.Where((_, i) => i != at)
                : lines.Select((l, i) => i == at ? l.Replace(line, replacement, StringComparison.Ordinal) : l)
        );
        await using var other = TestDatabase.Open();
        var e = await Assert.ThrowsAsync<ImportException>(() => JsonLinesImport.ImportAsync(other, [file]));
        Assert.Contains(problem, e.Message, StringComparison.Ordinal);
        Assert.Equal(0, other.LastPosition);
    }

    [Fact]
    public async Task An_altered_content_is_found_by_its_checksum()
    {
        var file = await ExportAsync("all.jsonl");
        var text = await File.ReadAllTextAsync(file);
        Assert.Contains("\"AQID\"", text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, text.Replace("\"AQID\"", "\"AQIE\"", StringComparison.Ordinal));
        await using var other = TestDatabase.Open();
        var report = await JsonLinesImport.ImportAsync(
            other,
            [file],
            new ImportOptions { OnError = ImportErrorHandling.Skip }
        );
        Assert.Contains(
            "'photo' of 'people/1' is not what its checksum says",
            Assert.Single(report.Errors).Reason,
            StringComparison.Ordinal
        );
        using var snapshot = other.OpenSnapshot();
        Assert.Empty(snapshot.GetAttachments("people/1"));
        Assert.Equal(2, snapshot.GetAttachments("films/1").Count);
    }

    private static EventData Event(long number, string payload, string writer, params string[] tags) =>
        new()
        {
            SequenceNumber = number,
            Payload = Encoding.UTF8.GetBytes(payload),
            SerializerId = 3,
            Manifest = "m",
            Writer = writer,
            Tags = tags,
        };

    private async Task<string> ExportAsync(string name)
    {
        var file = Path.Combine(_folder, name);
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(4, await JsonLinesExport.ExportFileAsync(snapshot, file));
        return file;
    }

    private void AssertSame(DocumentDatabase other)
    {
        using DatabaseSnapshot mine = _db.OpenSnapshot(),
            its = other.OpenSnapshot();
        foreach (var id in new[] { "films/1", "people/1" })
        {
            Assert.Equal(
                mine.GetAttachments(id).Select(a => (a.Name, a.ContentType, a.Hash, a.Size)),
                its.GetAttachments(id).Select(a => (a.Name, a.ContentType, a.Hash, a.Size))
            );
        }

        using (var content = its.OpenAttachment(its.GetAttachments("films/1").Single(a => a.Name == "poster.png")))
        {
            using var copy = new MemoryStream();
            content.CopyTo(copy);
            Assert.Equal(_large, copy.ToArray());
        }

        Assert.Equal(Events(mine), Events(its));
        foreach (var most in new[] { 6L, 100L })
        {
            (var old, var now) = (
                mine.LoadSnapshot("account-1", StreamSnapshotCriteria.UpTo(most)),
                its.LoadSnapshot("account-1", StreamSnapshotCriteria.UpTo(most))
            );
            Assert.Equal(
                (
                    old!.SequenceNumber,
                    old.Timestamp,
                    old.SerializerId,
                    old.Manifest,
                    Convert.ToHexString(old.Payload.Span)
                ),
                (
                    now!.SequenceNumber,
                    now.Timestamp,
                    now.SerializerId,
                    now.Manifest,
                    Convert.ToHexString(now.Payload.Span)
                )
            );
        }

        Assert.Equal(
            ["lock 17", "users/Ann {\"Id\":\"users/1\"}"],
            its.GetCompareExchangeByPrefix("").Select(v => $"{v.Key} {v.Value}")
        );
        Assert.Equal(2, its.GetByCollection("Events").Count());
    }

    private static List<string> Events(DatabaseSnapshot snapshot)
    {
        using var batch = snapshot.ReadEvents(0);
        return
        [
            .. batch.Select(e =>
                $"{e.StreamId} {e.SequenceNumber} {e.SerializerId} {e.Manifest} {e.Writer} {string.Join(',', e.Tags)} {Encoding.UTF8.GetString(e.Payload.Span)}"
            ),
        ];
    }
}
