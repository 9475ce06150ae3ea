using System.Diagnostics;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// The trace that a document was written in, from the API and from a client's request, in its metadata.
/// </summary>
public sealed class KeptTraceTests : IAsyncLifetime
{
    private const string Trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private readonly DocumentDatabase _database = DocumentDatabase.Open(
        new DatabaseOptions { Name = "db", KeepTraces = true }
    );

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task A_write_within_an_activity_keeps_its_trace_and_others_keep_none()
    {
        Assert.Null(Activity.Current);
        await PutAsync("a/1");
        Assert.Null(TraceOf("a/1"));
        string id;
        using (var activity = new Activity("write").SetIdFormat(ActivityIdFormat.W3C).Start())
        {
            id = activity.Id!;
            await PutAsync("a/1");
            await PutAsync("a/2", ",\"traceparent\":\"old\",\"Mine\":\"yes\"");
            await _database.ExecuteAsync(new DocumentBatch().Put("a/3", Body("")));
            await using var bulk = _database.BeginBulkInsert();
            await bulk.StoreAsync("a/4", Body(""));
            await bulk.CompleteAsync();
            await _database.Attachments.PutAsync("a/3", "note", new MemoryStream([1, 2]), "text/plain");
        }

        Assert.All(["a/1", "a/2", "a/3", "a/4"], a => Assert.Equal(id, TraceOf(a)));
        using var snapshot = _database.OpenSnapshot();
        var text = snapshot.Find("a/2")!.ToString();
        Assert.Contains("\"Mine\":\"yes\"", text, StringComparison.Ordinal);
        Assert.Contains("\"N\":1", text, StringComparison.Ordinal);
        Assert.Contains("@attachments", snapshot.Find("a/3")!.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_the_option_nothing_is_kept()
    {
        await using var plain = DocumentDatabase.Open(new DatabaseOptions());
        using var activity = new Activity("write").SetIdFormat(ActivityIdFormat.W3C).Start();
        await plain.PutAsync("a/1", Body(""));
        using var snapshot = plain.OpenSnapshot();
        Assert.False(
            snapshot.Find("a/1")!.Body.Root.TryGetProperty("@metadata"u8, out var metadata)
                && metadata.TryGetProperty("traceparent"u8, out _)
        );
    }

    [Fact]
    public async Task A_request_goes_on_with_the_trace_of_its_client()
    {
        await using var subscriptions = SubscriptionHost.Open(_database);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(_database, subscriptions)] }
        );
        using var http = new HttpClient(new SocketsHttpHandler { ActivityHeadersPropagator = null })
        {
            BaseAddress = server.Url,
        };
        await PutOverHttpAsync("a/1", Trace);
        await PutOverHttpAsync("a/2", null);
        await PutOverHttpAsync("a/3", "nonsense");
        var kept = TraceOf("a/1")!;
        Assert.Equal((Trace[..35], "-01"), (kept[..35], kept[^3..]));
        Assert.NotEqual(Trace, kept);
        Assert.False(TraceOf("a/2")?.StartsWith(Trace[..35], StringComparison.Ordinal) ?? false);
        Assert.NotEqual("nonsense", TraceOf("a/3"));

        async Task PutOverHttpAsync(string id, string? trace)
        {
            using var request = new HttpRequestMessage(HttpMethod.Put, $"/databases/db/docs?id={id}")
            {
                Content = new StringContent("{\"N\":1}", Encoding.UTF8, "application/json"),
            };
            if (trace is not null)
                request.Headers.TryAddWithoutValidation("traceparent", trace);
            using var answer = await http.SendAsync(request);
            Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
        }
    }

    private string? TraceOf(string id)
    {
        using var snapshot = _database.OpenSnapshot();
        return
            snapshot.Find(id)!.Body.Root.TryGetProperty("@metadata"u8, out var metadata)
            && metadata.TryGetProperty("traceparent"u8, out var trace)
            ? trace.GetString()
            : null;
    }

    private Task<PutResult> PutAsync(string id, string more = "") => _database.PutAsync(id, Body(more));

    private static byte[] Body(string more) =>
        Encoding.UTF8.GetBytes($"{{\"N\":1,\"@metadata\":{{\"@collection\":\"As\"{more}}}}}");
}
