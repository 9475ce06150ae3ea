using System.Text;
using Pipeline.Benchmarks.Etl;
using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>The database of one run, on disk, with its subscriptions; disposing deletes the folder.</summary>
internal sealed class FeedFixture : IAsyncDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");

    public FeedFixture()
    {
        Folders.Wipe(_folder);
        Database = DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(_folder, "data") });
        Host = SubscriptionHost.Open(Database);
    }

    public DocumentDatabase Database { get; }

    public SubscriptionHost Host { get; }

    public async Task StoreAsync(MessageDocuments documents, int count)
    {
        await using var bulk = Database.BeginBulkInsert();
        for (var i = 0; i < count; i++)
            await bulk.StoreAsync(documents.Id(i), Text(documents, i));
        await bulk.CompleteAsync();
    }

    /// <summary>A document with its collection.</summary>
    public static byte[] Text(MessageDocuments documents, int i)
    {
        var body = documents.Body(i);
        byte[] head = [.. "{\"@metadata\":{\"@collection\":\"Documents\"},"u8];
        var text = new byte[head.Length + body.Length - 1];
        head.CopyTo(text, 0);
        body.AsSpan(1).CopyTo(text.AsSpan(head.Length));
        return text;
    }

    public async ValueTask DisposeAsync()
    {
        await Host.DisposeAsync();
        await Database.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
