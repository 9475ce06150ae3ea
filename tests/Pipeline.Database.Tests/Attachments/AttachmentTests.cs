using System.Security.Cryptography;
using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Attachments;

public sealed class AttachmentTests : IAsyncLifetime, IDisposable
{
    private readonly SimulatedDisk _disk = new();
    private DocumentDatabase _database;

    public AttachmentTests() => _database = Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public Task DisposeAsync() => _database.DisposeAsync().AsTask();

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(512 * 1024 - 1)]
    [InlineData(512 * 1024)]
    [InlineData(3 * 512 * 1024 + 7)]
    public async Task A_content_of_any_size_comes_back_as_it_was_also_after_a_restart(int size)
    {
        var content = new byte[size];
        new Random(size).NextBytes(content);
        await _database.PutAsync(
            "films/1",
            """{"Title":"Dune","@metadata":{"@collection":"Films","mine":1}}"""u8.ToArray()
        );

        var put = await _database.Attachments.PutAsync("FILMS/1", "Poster.png", new MemoryStream(content), "image/png");
        await ReopenAsync();

        Assert.Equal(
            ("films/1", "Poster.png", "image/png", (long)size),
            (put.DocumentId, put.Name, put.ContentType, put.Size)
        );
        Assert.Equal(Convert.ToBase64String(SHA256.HashData(content)), put.Hash);
        using var read = _database.Attachments.Open("films/1", "poster.PNG")!;
        Assert.Equal(put, read.Info);
        Assert.Equal(content, await BytesAsync(read));
        using var snapshot = _database.OpenSnapshot();
        Assert.True(snapshot.TryGet("films/1", out var document));
        Assert.Equal((2L, put.ChangeVector), (document.Position, document.ChangeVector));
        Assert.Equal(
            $$"""{"@attachments":[{"Name":"Poster.png","Hash":"{{put.Hash}}","ContentType":"image/png","Size":{{size}}}],"mine":1}""",
            document.Metadata.ToString()
        );
        Assert.Equal("Films", document.Collection);
    }

    [Fact]
    public async Task What_a_user_writes_of_attachments_is_replaced_by_the_truth()
    {
        await PutAsync("a", """{"@metadata":{"@attachments":[{"Name":"invented"}]}}""");
        Assert.Equal("{}", Text("a"));
        await AttachAsync("a", "real", "x");
        var metadata = Text("a");
        Assert.Contains("real", metadata, StringComparison.Ordinal);

        await PutAsync("a", """{"N":1}""");
        Assert.Equal(metadata.Replace("}}", "},\"N\":1}", StringComparison.Ordinal), Text("a"));
        await PutAsync("a", """{"N":2,"@metadata":{"@attachments":[],"k":true}}""");
        Assert.Contains("real", Text("a"), StringComparison.Ordinal);
        Assert.Contains("\"k\":true", Text("a"), StringComparison.Ordinal);

        await using (var bulk = _database.BeginBulkInsert())
        {
            await bulk.StoreAsync("a", """{"N":3}"""u8.ToArray());
            await bulk.CompleteAsync();
        }

        Assert.Contains("real", Text("a"), StringComparison.Ordinal);
        Assert.True(await _database.Attachments.DeleteAsync("a", "REAL"));
        Assert.False(await _database.Attachments.DeleteAsync("a", "real"));
        Assert.Equal("""{"N":3}""", Text("a"));
        Assert.Null(_database.Attachments.Open("a", "real"));
    }

    [Fact]
    public async Task Equal_contents_are_stored_once_and_removed_with_the_last()
    {
        var large = new byte[1024 * 1024];
        new Random(1).NextBytes(large);
        for (var i = 0; i < 3; i++)
        {
            await PutAsync($"d/{i}", "{}");
            await _database.Attachments.PutAsync($"d/{i}", "file", new MemoryStream(large));
        }

        Assert.Equal((1, 2), Counts());
        await _database.WriteAsync(t => t.CopyAttachment("d/0", "file", "d/0", "again"));
        await _database.DeleteAsync("d/1");
        await _database.DeleteAsync("d/2");
        await _database.Attachments.PutAsync("d/0", "file", new MemoryStream([1]));
        Assert.Equal((2, 3), Counts());
        Assert.Equal(large, await BytesAsync("d/0", "again"));
        await _database.DeleteAsync("d/0");
        Assert.Equal((0, 0), Counts());
        await CheckSoundAsync();
    }

    [Fact]
    public async Task An_upload_that_nobody_uses_leaves_nothing_whether_given_up_failed_or_cut_off()
    {
        var large = new byte[1024 * 1024 + 1];
        await PutAsync("d", "{}");
        var staged = await _database.Attachments.StageAsync(new MemoryStream(large));
        Assert.Equal((0, 3), Counts());
        await staged.DisposeAsync();
        Assert.Equal((0, 0), Counts());

        await Assert.ThrowsAsync<IOException>(() => _database.Attachments.StageAsync(new BreakingStream(700_000)));
        Assert.Equal((0, 0), Counts());

        var tooLarge = await Assert.ThrowsAsync<AttachmentException>(() =>
            _database.Attachments.PutAsync("d", "x", new MemoryStream(new byte[5 * 1024 * 1024 + 1]))
        );
        Assert.Equal(AttachmentProblem.TooLarge, tooLarge.Kind);
        Assert.Equal((0, 0), Counts());

        await _database.Attachments.StageAsync(new MemoryStream(large));
        await ReopenAsync();
        Assert.Equal((0, 0), Counts());

        await using var used = await _database.Attachments.StageAsync(new MemoryStream(large));
        await used.DisposeAsync();
        var released = await Assert.ThrowsAsync<AttachmentException>(() =>
            _database.WriteAsync(t => t.PutAttachment("d", "x", used))
        );
        Assert.Equal(AttachmentProblem.Released, released.Kind);
    }

    [Fact]
    public async Task A_batch_puts_copies_moves_and_deletes_all_or_nothing()
    {
        await using var content = await _database.Attachments.StageAsync(new MemoryStream("hello"u8.ToArray()));
        var results = await _database.ExecuteAsync(
            new DocumentBatch()
                .Put("a", "{}"u8)
                .Put("b", "{}"u8)
                .PutAttachment("a", "one", content, "text/plain")
                .CopyAttachment("a", "one", "b", "two")
                .CopyAttachment("a", "one", "b", "three", moves: true)
                .CopyAttachment("b", "two", "b", "TWO", moves: true)
                .DeleteAttachment("b", "missing")
        );
        Assert.Equal("two three", string.Join(' ', results.Skip(3).Take(2).Select(r => r.Attachment!.Name)));
        Assert.False(results[^1].Deleted);
        Assert.Equal(["a:", "b:TWO,three"], new[] { "a", "b" }.Select(Names));
        Assert.Equal("hello"u8.ToArray(), await BytesAsync("b", "three"));

        await Assert.ThrowsAsync<ConcurrencyException>(() =>
            _database.ExecuteAsync(
                new DocumentBatch().PutAttachment("a", "new", content).PutAttachment("b", "two", content, null, "")
            )
        );
        var missing = await Assert.ThrowsAsync<AttachmentException>(() =>
            _database.ExecuteAsync(new DocumentBatch().PutAttachment("none", "new", content))
        );
        Assert.Equal(
            "There is no document 'none' that could have the attachment 'new': store it first.",
            missing.Message
        );
        Assert.Equal(
            AttachmentProblem.NoAttachment,
            (
                await Assert.ThrowsAsync<AttachmentException>(() =>
                    _database.WriteAsync(t => t.CopyAttachment("a", "x", "b"))
                )
            ).Kind
        );
        Assert.Equal(["a:", "b:TWO,three"], new[] { "a", "b" }.Select(Names));
        await CheckSoundAsync();
    }

    [Theory]
    [InlineData("", "it is empty")]
    [InlineData("a\nb", "it holds a control character")]
    [InlineData("long", "it has more than 255 bytes of UTF-8")]
    public async Task A_name_that_cannot_be_one_is_refused(string name, string reason)
    {
        if (name == "long")
            name = new string('x', 256);
        await PutAsync(new string('i', 512), "{}");
        var error = await Assert.ThrowsAsync<AttachmentException>(() =>
            _database.Attachments.PutAsync(new string('i', 512), name, new MemoryStream())
        );
        Assert.Equal(AttachmentProblem.InvalidName, error.Kind);
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        await AttachAsync(new string('i', 512), new string('x', 255), "fits");
    }

    [Fact]
    public async Task An_open_content_stays_as_it_was()
    {
        await PutAsync("d", "{}");
        await AttachAsync("d", "f", new string('x', 600_000));
        using var open = _database.Attachments.Open("d", "f")!;
        await _database.DeleteAsync("d");
        for (var i = 0; i < 20; i++)
            await PutAsync($"other/{i}", $$"""{"T":"{{new string('y', 60_000)}}"}""");
        Assert.Equal(new string('x', 600_000), Encoding.UTF8.GetString(await BytesAsync(open)));
        open.Stream.Position = 599_999;
        Assert.Equal('x', open.Stream.ReadByte());
        Assert.Equal(-1, open.Stream.ReadByte());
    }

    [Fact]
    public async Task A_damaged_content_is_found_by_the_check_and_told_of_by_the_salvage()
    {
        await PutAsync("d", "{}");
        await AttachAsync("d", "good", "good");
        await AttachAsync("d", "bad", "bad");
        await _database.DisposeAsync();
        using (var storage = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = _disk }))
        {
            await storage.WriteAsync(t =>
                t.OpenTree("attachment-parts").Put([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0], "BAD"u8)
            );
        }

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = "/db", Files = _disk });
        Assert.Contains(
            "is damaged: its parts do not have that hash",
            Assert.Single(report.Problems).ToString(),
            StringComparison.Ordinal
        );

        using var target = new SimulatedDisk();
        var salvage = await DatabaseSalvage.RunAsync(
            new DatabaseOptions { Path = "/db", Files = _disk },
            new DatabaseOptions { Path = "/new", Files = target }
        );
        Assert.Contains("the attachment 'bad' of 'd' is lost", salvage.Notes);
        Assert.True(DatabaseCheck.Run(new DatabaseOptions { Path = "/new", Files = target }).IsSound);
        await using var salvaged = DocumentDatabase.Open(new DatabaseOptions { Path = "/new", Files = target });
        using (var good = salvaged.Attachments.Open("d", "good")!)
            Assert.Equal("good"u8.ToArray(), await BytesAsync(good));
        await salvaged.DeleteAsync("d");
        Assert.Null(salvaged.Attachments.Open("d", "good"));
    }

    private DocumentDatabase Open() =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Path = "/db",
                Files = _disk,
                MaxAttachmentBytes = 5 * 1024 * 1024,
            }
        );

    private async Task ReopenAsync()
    {
        await _database.DisposeAsync();
        _database = Open();
    }

    private async Task CheckSoundAsync()
    {
        await _database.DisposeAsync();
        var report = DatabaseCheck.Run(new DatabaseOptions { Path = "/db", Files = _disk });
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
    }

    private Task<PutResult> PutAsync(string id, string json) => _database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    private Task<Attachment> AttachAsync(string id, string name, string content) =>
        _database.Attachments.PutAsync(id, name, new MemoryStream(Encoding.UTF8.GetBytes(content)));

    private string Text(string id)
    {
        using var snapshot = _database.OpenSnapshot();
        return snapshot.Find(id)!.Body.ToString();
    }

    private string Names(string id)
    {
        using var snapshot = _database.OpenSnapshot();
        return $"{id}:{string.Join(',', snapshot.GetAttachments(id).Select(a => a.Name).Order(StringComparer.Ordinal))}";
    }

    private async Task<byte[]> BytesAsync(string id, string name)
    {
        using var content = _database.Attachments.Open(id, name)!;
        return await BytesAsync(content);
    }

    private static async Task<byte[]> BytesAsync(AttachmentContent content)
    {
        using var copy = new MemoryStream();
        await content.Stream.CopyToAsync(copy);
        return copy.ToArray();
    }

    private (int Contents, int Parts) Counts()
    {
        using var read = _database.Storage.BeginRead();
        int Count(string tree) => read.TryOpenTree(tree, out var found) ? (int)found.Count : 0;
        return (Count("attachment-contents"), Count("attachment-parts"));
    }

    private sealed class BreakingStream(int after) : MemoryStream(new byte[after])
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Position == Length
                ? throw new IOException("the connection broke")
                : base.ReadAsync(buffer, cancellationToken);
    }
}
