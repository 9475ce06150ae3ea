using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Pipeline.Client;

if (args is not [var url, var database])
{
    Console.Error.WriteLine("usage: NativeAot URL DATABASE");
    return 2;
}

// The context has the classes' JSON without reflection.
var options = new DocumentStoreOptions
{
    Json = new() { TypeInfoResolver = NoteContext.Default },
    UseOptimisticConcurrency = true,
};
await using var store = DocumentStore.Connect(url, database, options);
string id;
await using (var session = store.OpenSession())
{
    id = await session.StoreAsync(
        new Note
        {
            Text = "written by a native program",
            Tags = ["aot"],
            Weight = 12.50m,
        }
    );
    await session.SaveChangesAsync();
}

await using (var session = store.OpenSession())
{
    var note = await session.LoadAsync<Note>(id) ?? throw new InvalidOperationException($"{id} was not stored");
    note.Level = Level.High;
    await session.SaveChangesAsync();
}

await using (var insert = store.BulkInsert())
{
    for (var n = 1; n <= 1_000; n++)
        await insert.StoreAsync(new Note { Id = $"notes/bulk/{n}", Text = $"note {n}" });
}

await using (var session = store.OpenSession())
{
    var advanced = session.Advanced;
    using var file = new MemoryStream("an attachment"u8.ToArray());
    advanced.Patch(id, (Note n) => n.Tags, tags => tags.Add("patched"));
    advanced.Patch(id, (Note n) => n.Level, Level.High);
    advanced.Increment(id, (Note n) => n.Weight, 1m);
    advanced.Patch(id, "this.Text += args.more", new JsonObject { ["more"] = ", and patched" });
    advanced.Attachments.Store(id, "file", file);
    if (await advanced.CompareExchange.GetAsync<string>("notes/newest") is { } newest)
        advanced.CompareExchange.Put(newest.Key, id, newest.Index);
    else
        advanced.CompareExchange.Put("notes/newest", id);
    await session.SaveChangesAsync();
    LazyValue<Note?> patched = advanced.Lazily.LoadAsync<Note>(id),
        bulk = advanced.Lazily.LoadAsync<Note>("notes/bulk/1");
    Console.WriteLine(
        $"{(await patched)?.Text}, {(await bulk)?.Text}, {(await advanced.Attachments.ListAsync(id)).Count} attachment, {(await advanced.Revisions.ListAsync<Note>(id)).Count} revisions"
    );
}

await using (var session = store.OpenSession())
{
    var byId = await session.RawQuery<Note>("from Notes where id() = $p0", id).ToResultsAsync();
    var high = await session.RawQuery<Note>("from Notes where Level = $p0", (int)Level.High).ToResultsAsync();
    var bulk = 0;
    await foreach (var note in session.RawQuery<Note>("from Notes where startsWith(id(), 'notes/bulk/')").StreamAsync())
    {
        bulk += note.Text.StartsWith("note ", StringComparison.Ordinal) ? 1 : 0;
    }

    Console.WriteLine(
        $"{byId.Items.Single().Text}, weight {byId.Items.Single().Weight}, {high.Items.Count} high, {bulk} in bulk"
    );
    return high.Items.Single().Id == id ? 0 : 1;
}

internal enum Level
{
    Low,
    High,
}

internal sealed class Note
{
    public string? Id { get; set; }
    public required string Text { get; set; }
    public List<string> Tags { get; set; } = [];
    public decimal Weight { get; set; }
    public Level Level { get; set; }
}

[JsonSerializable(typeof(Note))]
internal sealed partial class NoteContext : JsonSerializerContext;
