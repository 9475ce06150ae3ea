using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <content>What clients ask of indexes.</content>
public sealed partial class ClientFeatureTests
{
    [Fact]
    public async Task Terms_of_an_index_are_listed_from_one_on()
    {
        Assert.Equal(["john", "stefanie", "thomas"], await TermsAsync("name=Users/ByName&field=name"));
        Assert.Equal(["stefanie"], await TermsAsync("name=Users/ByName&field=name&fromValue=john&pageSize=1"));
        Assert.Equal(["25", "30"], await TermsAsync("name=Users/ByName&field=age"));
        Assert.Equal(["30"], await TermsAsync("name=Users/ByName&field=age&fromValue=25"));
        Assert.Equal(
            HttpStatusCode.NotFound,
            (await _http.GetAsync("/databases/db/indexes/terms?name=None&field=name")).StatusCode
        );
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await _http.GetAsync("/databases/db/indexes/terms?name=Users/ByName&field=none")).StatusCode
        );

        async Task<IEnumerable<string?>> TermsAsync(string query) =>
            (await _http.GetFromJsonAsync<JsonElement>("/databases/db/indexes/terms?" + query))
                .GetProperty("Terms")
                .EnumerateArray()
                .Select(t => t.GetString());
    }

    [Fact]
    public async Task Locks_and_priorities_of_indexes_are_set()
    {
        List<IndexChangeKind> told = [];
        _database.Indexes.Changed += (_, change) => told.Add(change.Kind);
        Assert.Equal(
            HttpStatusCode.NoContent,
            (
                await _http.PostAsJsonAsync(
                    "/databases/db/indexes/set-lock",
                    new { IndexNames = new[] { "Users/ByName" }, Mode = "LockedError" },
                    Plain
                )
            ).StatusCode
        );
        Assert.Equal(
            HttpStatusCode.NoContent,
            (
                await _http.PostAsJsonAsync(
                    "/databases/db/indexes/set-priority",
                    new { IndexNames = new[] { "Users/ByName" }, Priority = "High" },
                    Plain
                )
            ).StatusCode
        );
        var definition = _database.Indexes.Get("Users/ByName")!.Definition;
        Assert.Equal((IndexLockMode.LockedError, IndexPriority.High), (definition.LockMode, definition.Priority));
        Assert.Equal(IndexChangeKind.LockModeChanged, told[0]);
        Assert.Contains(IndexChangeKind.PriorityChanged, told);
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (
                await _http.PostAsJsonAsync(
                    "/databases/db/indexes/set-lock",
                    new { IndexNames = new[] { "Users/ByName" }, Mode = "Shut" },
                    Plain
                )
            ).StatusCode
        );
    }

    [Fact]
    public async Task Indexes_name_their_collections_and_say_whether_all_are_stopped()
    {
        var statistics = await _http.GetFromJsonAsync<JsonElement>("/databases/db/indexes/stats");
        Assert.Equal(
            ["Users"],
            statistics.GetProperty("Results")[0].GetProperty("Collections").EnumerateObject().Select(c => c.Name)
        );
        var unknown = await _http.DeleteAsync("/databases/db/indexes/errors?name=None");
        Assert.Equal(HttpStatusCode.BadRequest, unknown.StatusCode);
        Assert.Equal(
            "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException",
            (await unknown.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Type").GetString()
        );
        await _http.PostAsync("/databases/db/admin/indexes/stop?name=Users/ByName", null);
        Assert.Equal("Running", await StatusAsync());
        await _http.PostAsync("/databases/db/admin/indexes/stop", null);
        Assert.Equal("Paused", await StatusAsync());
        await _http.PostAsync("/databases/db/admin/indexes/start", null);
        Assert.Equal("Running", await StatusAsync());

        async Task<string?> StatusAsync() =>
            (await _http.GetFromJsonAsync<JsonElement>("/databases/db/indexes/status"))
                .GetProperty("Status")
                .GetString();
    }

    [Fact]
    public async Task An_index_that_would_write_documents_is_refused()
    {
        var answer = await _http.PutAsync(
            "/databases/db/admin/indexes",
            new StringContent(
                """{"Indexes":[{"Name":"Sums","Maps":["from u in docs.Users select new { u.age, N = 1 }"],"Reduce":"from r in results group r by r.age into g select new { age = g.Key, N = g.Sum(x => x.N) }","OutputReduceToCollection":"Sums"}]}"""
            )
        );
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        Assert.Null(_database.Indexes.Get("Sums"));
    }

    [Fact]
    public async Task A_batch_that_an_index_does_not_show_in_time_is_told_as_such()
    {
        await _database.Indexes.SetStateAsync("Users/ByName", IndexState.Paused);
        var answer = await _http.PostAsync(
            "/databases/db/bulk_docs?waitForIndexesTimeout=00:00:00.0010000&waitForIndexThrow=true",
            new StringContent(
                """{"Commands":[{"Id":"users/9","Type":"PUT","Document":{"@metadata":{"@collection":"Users"}}}]}"""
            )
        );
        var error = await answer.Content.ReadFromJsonAsync<JsonElement>();
        Assert.Equal("Raven.Client.Exceptions.RavenTimeoutException", error.GetProperty("Type").GetString());
        Assert.Contains(
            "could not verify that the index 'Users/ByName'",
            error.GetProperty("Message").GetString(),
            StringComparison.Ordinal
        );
        Assert.Equal(HttpStatusCode.OK, (await _http.GetAsync("/databases/db/docs?id=users/9")).StatusCode);
    }

    [Fact]
    public async Task A_batch_that_waits_for_an_index_that_is_deleted_succeeds()
    {
        await _database.Indexes.SetStateAsync("Users/ByName", IndexState.Paused);
        var from = _database.LastPosition;
        var answer = _http.PostAsync(
            "/databases/db/bulk_docs?waitForIndexesTimeout=00:01:00&waitForIndexThrow=true",
            new StringContent(
                """{"Commands":[{"Id":"users/9","Type":"PUT","Document":{"@metadata":{"@collection":"Users"}}}]}"""
            )
        );
        await _database.WaitForChangeAsync(from);
        await _database.Indexes.DeleteAsync("Users/ByName");
        Assert.Equal(HttpStatusCode.Created, (await answer).StatusCode);
    }
}
