using System.Globalization;
using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Expiration;

public sealed class ExpirationTests
{
    private static readonly ExpirationConfiguration Both = new(TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(60));
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public async Task Only_documents_whose_last_version_has_expired_are_deleted()
    {
        await using var db = Open();
        await PutAsync(db, "a", "@expires", -1);
        await PutAsync(db, "b", "@expires", 5);
        await PutAsync(db, "c", "@expires", -1);
        await db.PutAsync("c", "{}"u8.ToArray());
        await PutAsync(db, "d", "@expires", -1);
        await PutAsync(db, "d", "@expires", 10);
        Assert.Equal((0L, 0L), await db.Expiration.RunAsync());
        await db.Expiration.ConfigureAsync(Both);
        Assert.Equal((1L, 0L), await db.Expiration.RunAsync());
        Assert.Equal(["b", "c", "d"], Ids(db));
        _time.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal((1L, 0L), await db.Expiration.RunAsync());
        Assert.Equal(["c", "d"], Ids(db));
        _time.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal((1L, 0L), await db.Expiration.RunAsync());
        Assert.Equal(["c"], Ids(db));
    }

    [Fact]
    public async Task Deletions_are_in_the_change_feed_and_keep_a_version()
    {
        await using var db = Open();
        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        await db.Expiration.ConfigureAsync(Both);
        await PutAsync(db, "A/1", "@expires", -1);
        Assert.Equal(1, (await db.Expiration.RunAsync()).Deleted);
        using var snapshot = db.OpenSnapshot();
        using var changes = snapshot.ReadChanges(0, ChangeFilter.AllWithDeletes);
        Assert.Equal([("A/1", true)], changes.Select(c => (c.Id, c.IsDeleted)));
        Assert.Equal([true, false], snapshot.GetRevisions("a/1").Select(v => v.IsDeleted));
    }

    [Fact]
    public async Task A_refreshed_document_is_a_change_and_keeps_all_but_the_time()
    {
        await using var db = Open();
        await db.Expiration.ConfigureAsync(Both);
        var put = await db.PutAsync(
            "Users/1",
            Json(
                """{"n":12345678901234567890,"@metadata":{"@collection":"Users","@refresh":"2026-01-02T03:04:04.0000000Z","own":[1]}}"""
            )
        );
        Assert.Equal((0L, 1L), await db.Expiration.RunAsync());
        Assert.Equal((0L, 0L), await db.Expiration.RunAsync());
        using var snapshot = db.OpenSnapshot();
        Assert.True(snapshot.TryGet("users/1", out var document));
        Assert.Equal(("Users/1", "Users"), (document.Id, document.Collection));
        Assert.True(document.Position > put.Position);
        Assert.Equal("""{"@metadata":{"own":[1]},"n":12345678901234567890}""", document.Body.Root.ToString());
    }

    [Fact]
    public async Task Documents_from_before_it_was_turned_on_count_and_it_is_remembered()
    {
        using var folder = new TestFolder();
        await using (var db = Open(folder.Path))
        {
            for (var i = 0; i < 1_500; i++)
                await PutAsync(db, $"a/{i}", "@expires", i < 1_300 ? -1 : 100);
            await db.Expiration.ConfigureAsync(Both);
            await db.Expiration.RunAsync();
        }

        await using (var db = Open(folder.Path))
        {
            Assert.Equal(Both, db.Expiration.Configuration);
            Assert.Equal(200, Ids(db).Count);
            _time.Advance(TimeSpan.FromSeconds(100));
            await db.Expiration.RunAsync();
            Assert.Empty(Ids(db));
        }

        await using (var db = Open(folder.Path, ExpirationConfiguration.None))
            Assert.False(db.Expiration.Configuration.DeleteEvery.HasValue);
        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
    }

    [Fact]
    public async Task A_salvaged_database_finds_the_times_again()
    {
        using var folder = new TestFolder();
        string from = Path.Combine(folder.Path, "from"),
            to = Path.Combine(folder.Path, "to");
        await using (var db = Open(from, Both))
        {
            await PutAsync(db, "a", "@expires", 1);
            await db.Expiration.RunAsync();
        }

        await DatabaseSalvage.RunAsync(new DatabaseOptions { Path = from }, new DatabaseOptions { Path = to });
        await using var salvaged = Open(to);
        _time.Advance(TimeSpan.FromSeconds(1));
        await salvaged.Expiration.ConfigureAsync(Both);
        Assert.Equal(1, (await salvaged.Expiration.RunAsync()).Deleted);
    }

    [Fact]
    public async Task It_looks_by_itself_as_often_as_it_is_told()
    {
        await using var db = Open(configuration: new ExpirationConfiguration(TimeSpan.FromSeconds(7)));
        await PutAsync(db, "a", "@expires", 3);
        while (await _time.NextTimerAsync() != TimeSpan.FromSeconds(7)) { }

        _time.Advance(TimeSpan.FromSeconds(7));
        using var late = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        await db.WaitForChangeAsync(1, late.Token);
        Assert.Empty(Ids(db));
    }

    [Fact]
    public async Task What_is_no_time_is_left_alone()
    {
        await using var db = Open();
        await db.Expiration.ConfigureAsync(Both);
        foreach (var value in (string[])["\"soon\"", "12", "null", "{}"])
            await db.PutAsync(null, Json($$$"""{"@metadata":{"@expires":{{{value}}}}}"""));
        Assert.Equal((0L, 0L), await db.Expiration.RunAsync());
        Assert.Equal(4, Ids(db).Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2_592_001)]
    public async Task Intervals_have_limits(int seconds)
    {
        await using var db = Open();
        await Assert.ThrowsAsync<ArgumentException>(() =>
            db.Expiration.ConfigureAsync(new ExpirationConfiguration(TimeSpan.FromSeconds(seconds)))
        );
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Any_course_leaves_what_a_model_has(int seed)
    {
        var random = new Random(seed);
        var model = new SortedDictionary<string, DateTimeOffset?>(StringComparer.Ordinal);
        await using var db = Open(configuration: new ExpirationConfiguration(TimeSpan.FromDays(30)));
        for (var step = 0; step < 300; step++)
        {
            var id = string.Create(CultureInfo.InvariantCulture, $"d/{random.Next(40):00}");
            switch (random.Next(6))
            {
                case 0:
                    _time.Advance(TimeSpan.FromSeconds(random.Next(4)));
                    break;
                case 1:
                    await db.Expiration.RunAsync();
                    foreach (var over in model.Where(d => d.Value <= _time.GetUtcNow()).Select(d => d.Key).ToList())
                        model.Remove(over);
                    Assert.Equal(model.Keys, Ids(db));
                    break;
                case 2:
                    await db.DeleteAsync(id);
                    model.Remove(id);
                    break;
                case 3:
                    await db.PutAsync(id, "{}"u8.ToArray());
                    model[id] = null;
                    break;
                default:
                    model[id] = await PutAsync(db, id, "@expires", random.Next(-2, 20));
                    break;
            }
        }
    }

    [Fact]
    public async Task A_moment_without_free_readers_does_not_end_it()
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        await using var db = DocumentDatabase.Open(
            new DatabaseOptions
            {
                TimeProvider = _time,
                Expiration = Both,
                Storage = new StorageOptions { MaxReaders = 16 },
            }
        );
        await NextLookAsync();
        await PutAsync(db, "a", "@expires", -1);
        var held = new List<DatabaseSnapshot>();
        Assert.Throws<InvalidOperationException>(HoldAll);
        _time.Advance(TimeSpan.FromSeconds(60));
        await NextLookAsync();
        held.ForEach(s => s.Dispose());
        _time.Advance(TimeSpan.FromSeconds(60));
        await db.WaitForChangeAsync(1, timeout.Token);
        Assert.Empty(Ids(db));

        void HoldAll()
        {
            while (true)
                held.Add(db.OpenSnapshot());
        }

        async Task NextLookAsync()
        {
            while (await _time.NextTimerAsync(timeout.Token) != TimeSpan.FromSeconds(60))
                ;
        }
    }

    private static byte[] Json(string text) => Encoding.UTF8.GetBytes(text);

    private static List<string> Ids(DocumentDatabase db)
    {
        using var snapshot = db.OpenSnapshot();
        using var changes = snapshot.ReadChanges(0, ChangeFilter.All);
        return [.. changes.Select(c => c.Id).Order(StringComparer.Ordinal)];
    }

    private DocumentDatabase Open(string? path = null, ExpirationConfiguration? configuration = null) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Path = path,
                TimeProvider = _time,
                Expiration = configuration,
            }
        );

    private async Task<DateTimeOffset> PutAsync(DocumentDatabase db, string id, string property, int seconds)
    {
        var time = _time.GetUtcNow() + TimeSpan.FromSeconds(seconds);
        await db.PutAsync(
            id,
            Json(
                $$$"""{"@metadata":{"{{{property}}}":"{{{time.ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", CultureInfo.InvariantCulture)}}}"}}"""
            )
        );
        return time;
    }
}
