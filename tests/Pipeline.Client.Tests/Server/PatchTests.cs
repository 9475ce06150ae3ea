using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Patches as clients send them.</summary>
public sealed class PatchTests : IAsyncLifetime, IDisposable
{
    private PipelineServer _server = null!;
    private HttpClient _http = null!;
    private DocumentDatabase _database = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(new ServerOptions());
        _http = new HttpClient { BaseAddress = _server.Url };
        _database = await _server.CreateDatabaseAsync("db");
        for (var n = 1; n <= 3; n++)
        {
            await _database.PutAsync(
                $"users/{n}",
                Encoding.UTF8.GetBytes($$"""{"Age":{{n}},"Tags":["a"],"@metadata":{"@collection":"Users","mine":1} }""")
            );
        }
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task One_document_is_changed_and_keeps_its_collection_and_metadata()
    {
        var result = await PatchAsync(
            "users/1",
            """{"Patch":{"Script":"this.Age += args.by; this.Tags.push($.tag); output(this.Age);","Values":{"by":41,"tag":"b"}}}"""
        );
        Assert.Equal("Patched", result.GetProperty("Status").GetString());
        Assert.Equal("""{"Age":42,"Tags":["a","b"]}""", Body("users/1"));
        var modified = result.GetProperty("ModifiedDocument");
        Assert.Equal(42, modified.GetProperty("Age").GetInt32());
        Assert.Equal(
            ("Users", 1),
            (
                modified.GetProperty("@metadata").GetProperty("@collection").GetString(),
                modified.GetProperty("@metadata").GetProperty("mine").GetInt32()
            )
        );
        Assert.Equal("42", result.GetProperty("Debug").GetProperty("Info")[0].GetString());
    }

    [Theory]
    [InlineData("users/1", """{"Patch":{"Script":"const n = this.Age;"}}""", "NotModified")]
    [InlineData("users/1", """{"Patch":{"Script":"this.Age = 1;"}}""", "NotModified")]
    [InlineData("users/9", """{"Patch":{"Script":"this.Age = 1;"}}""", "DocumentDoesNotExist")]
    [InlineData(
        "users/9",
        """{"Patch":{"Script":"this.Age = 1;"},"PatchIfMissing":{"Script":"this.Age = args.a; this['@metadata']['@collection'] = 'Users';","Values":{"a":7}}}""",
        "Created"
    )]
    public async Task What_was_done_is_said(string id, string body, string status)
    {
        Assert.Equal(status, (await PatchAsync(id, body)).GetProperty("Status").GetString());
        if (status == "Created")
            Assert.Equal("""{"Age":7}""", Body(id));
    }

    [Fact]
    public async Task Another_version_is_a_conflict_or_is_skipped()
    {
        using var request = new HttpRequestMessage(HttpMethod.Patch, "/databases/db/docs?id=users/1")
        {
            Content = new StringContent("""{"Patch":{"Script":"this.Age = 9;"}}"""),
        };
        request.Headers.TryAddWithoutValidation("If-Match", "\"A:99-AAAAAAAAAAAAAAAAAAAAAA\"");
        Assert.Equal(HttpStatusCode.Conflict, (await _http.SendAsync(request)).StatusCode);
        using var skipping = new HttpRequestMessage(
            HttpMethod.Patch,
            "/databases/db/docs?id=users/1&skipPatchIfChangeVectorMismatch=true"
        )
        {
            Content = new StringContent("""{"Patch":{"Script":"this.Age = 9;"}}"""),
        };
        skipping.Headers.TryAddWithoutValidation("If-Match", "\"A:99-AAAAAAAAAAAAAAAAAAAAAA\"");
        using var answer = JsonDocument.Parse(await (await _http.SendAsync(skipping)).Content.ReadAsStringAsync());
        Assert.Equal("Skipped", answer.RootElement.GetProperty("Status").GetString());
    }

    [Theory]
    [InlineData("this.Age = ;", "line 1, column 52")]
    [InlineData("throw new Error('no')", "no")]
    [InlineData("while (true) { }", "limits.")]
    public async Task A_script_that_fails_changes_nothing(string script, string message)
    {
        var answer = await _http.PatchAsync(
            "/databases/db/docs?id=users/1",
            Json(new { Patch = new { Script = "put('made/1', { a: 1 }); this.Age = 50; " + script } })
        );
        var text = await answer.Content.ReadAsStringAsync();
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(
            "Raven.Client.Exceptions.Documents.Patching.JavaScriptException",
            text,
            StringComparison.Ordinal
        );
        Assert.Contains(message, text, StringComparison.Ordinal);
        Assert.Equal("""{"Age":1,"Tags":["a"]}""", Body("users/1"));
        Assert.Null(Body("made/1"));
    }

    [Fact]
    public async Task A_batch_patches_beside_other_commands_all_or_nothing()
    {
        const string body = """
            {"Commands":[
              {"Type":"PUT","Id":"users/4","Document":{"Age":4,"@metadata":{"@collection":"Users"}}},
              {"Type":"PATCH","Id":"users/4","ChangeVector":null,"Patch":{"Script":"this.Age++; put('log/1', { of: id(this), at: load('users/1').Age }); del('users/2');"},"ReturnDocument":true},
              {"Type":"BatchPATCH","Ids":[{"Id":"users/1","ChangeVector":null},{"Id":"users/3","ChangeVector":null}],"Patch":{"Script":"this.Age *= args.f;","Values":{"f":10}}}
            ]}
            """;
        var answer = await _http.PostAsync("/databases/db/bulk_docs", new StringContent(body));
        Assert.Equal(HttpStatusCode.Created, answer.StatusCode);
        using var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync());
        var patched = json.RootElement.GetProperty("Results")[1];
        Assert.Equal(
            ("PATCH", "users/4", "Patched", 5),
            (
                patched.GetProperty("Type").GetString(),
                patched.GetProperty("Id").GetString(),
                patched.GetProperty("PatchStatus").GetString(),
                patched.GetProperty("ModifiedDocument").GetProperty("Age").GetInt32()
            )
        );
        Assert.Equal("""{"of":"users/4","at":1}""", Body("log/1"));
        Assert.Null(Body("users/2"));
        Assert.Equal(
            ["""{"Age":10,"Tags":["a"]}""", """{"Age":30,"Tags":["a"]}"""],
            [Body("users/1")!, Body("users/3")!]
        );
    }

    [Fact]
    public async Task A_patch_of_a_query_is_previewed_and_nothing_is_stored()
    {
        await _database.PutAsync(
            "goods/1",
            """{"Price":9007199254740993.10,"@metadata":{"@collection":"Goods"}}"""u8.ToArray()
        );
        var position = _database.LastPosition;
        var answer = await _http.PostAsync(
            "/databases/db/queries/try",
            Json(
                new
                {
                    Query = new
                    {
                        Query = "from Users where Age >= 1 order by Age as long update { if (this.Age === 2) throw new Error('not this'); if (this.Age === 3) { del(id(this)); del('users/1'); put('made/', {}); return; } this.Age += $.by; output(this.Age); }",
                        QueryParameters = new { by = 100 },
                    },
                    Sample = 50,
                }
            )
        );
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        using var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync());
        Assert.Equal(3, json.RootElement.GetProperty("TotalResults").GetInt32());
        var results = json.RootElement.GetProperty("Results");
        Assert.Equal(
            ["users/1 Patched", "users/2 Failed", "users/3 Deleted"],
            results.EnumerateArray().Select(r => $"{r.GetProperty("Id")} {r.GetProperty("Status")}")
        );
        Assert.Equal(1, results[0].GetProperty("Before").GetProperty("Age").GetInt32());
        Assert.Equal(101, results[0].GetProperty("After").GetProperty("Age").GetInt32());
        Assert.Equal("101", results[0].GetProperty("Output")[0].GetString());
        Assert.Contains("not this", results[1].GetProperty("Error").GetString(), StringComparison.Ordinal);
        Assert.Equal(
            ["made/ False", "users/1 True"],
            results[2]
                .GetProperty("Others")
                .EnumerateArray()
                .Select(o => $"{o.GetProperty("Id")} {o.GetProperty("IsDeleted")}")
        );
        Assert.Equal(position, _database.LastPosition);

        var goods = await _http.PostAsync(
            "/databases/db/queries/try",
            Json(new { Query = new { Query = "from Goods update { this.Seen = true; }" } })
        );
        var text = await goods.Content.ReadAsStringAsync();
        Assert.Equal(2, text.Split("\"Price\":9007199254740993.10").Length - 1);
        Assert.Contains("\"Seen\":true", text, StringComparison.Ordinal);
        var plain = await _http.PostAsync(
            "/databases/db/queries/try",
            Json(new { Query = new { Query = "from Goods" } })
        );
        Assert.Equal(HttpStatusCode.BadRequest, plain.StatusCode);
    }

    [Fact]
    public async Task A_query_is_patched_by_an_operation()
    {
        var answer = await _http.PatchAsync(
            "/databases/db/queries?operationId=7",
            Json(
                new
                {
                    Query = new
                    {
                        Query = "declare function more(n) { return n + $.by; } from Users as u where u.Age >= 2 update { u.Age = more(u.Age); this.Seen = true; }",
                        QueryParameters = new { by = 100 },
                        WaitForNonStaleResults = true,
                    },
                }
            )
        );
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        string status;
        do
        {
            using var state = JsonDocument.Parse(
                await _http.GetStringAsync("/databases/db/operations/state?id=7", timeout.Token)
            );
            status = state.RootElement.ToString();
            await Task.Delay(5, timeout.Token);
        } while (status.Contains("InProgress", StringComparison.Ordinal));
        Assert.Contains("\"Status\":\"Completed\"", status, StringComparison.Ordinal);
        Assert.Equal(
            [
                """{"Age":1,"Tags":["a"]}""",
                """{"Age":102,"Tags":["a"],"Seen":true}""",
                """{"Age":103,"Tags":["a"],"Seen":true}""",
            ],
            [Body("users/1")!, Body("users/2")!, Body("users/3")!]
        );
    }

    private static StringContent Json(object value) =>
        new(JsonSerializer.Serialize(value), Encoding.UTF8, "application/json");

    private async Task<JsonElement> PatchAsync(string id, string body)
    {
        var answer = await _http.PatchAsync($"/databases/db/docs?id={id}", new StringContent(body));
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.OK, text);
        return JsonDocument.Parse(text).RootElement.Clone();
    }

    private string? Body(string id)
    {
        using var snapshot = _database.OpenSnapshot();
        if (!snapshot.TryGet(id, out var document))
            return null;
        var text = new System.Buffers.ArrayBufferWriter<byte>();
        document.WriteJson(text, withMetadata: false);
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }
}
