using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting;
using Pipeline.Hosting.DeadLetters;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The transform bench of a running worker.</summary>
public sealed class BenchEndpointTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly HttpClient _http = new();
    private PipelineWorker _worker = null!;

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl:
              - name: big
                from: [Orders]
                to: out
                transform: |
                  if (doc.Total < 3) return;
                  if (doc.Total == 7) throw new InvalidOperationException("seven");
                  send("orders", new { Id = id, doc.Total });
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        _http.BaseAddress = _worker.Address;
        for (var i = 0; i < 10; i++)
            await PutAsync($"orders/{i}", $$$"""{"Total":{{{i}}},"@metadata":{"@collection":"Orders"}}""");
        await PutAsync("orders/exact", """{"Total":9007199254740993.10,"@metadata":{"@collection":"Orders"}}""");
        await PutAsync("people/1", """{"@metadata":{"@collection":"People"}}""");
    }

    public async Task DisposeAsync() => await _worker.DisposeAsync();

    public void Dispose()
    {
        _http.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_script_is_tried_on_the_last_documents_beside_the_tasks_own()
    {
        var result = await PostAsync(
            "/etl/bench",
            new
            {
                task = "big",
                script = "send(\"orders\", new { Id = id, doc.Total, New = doc.Total > 8 });",
                sample = 5,
            }
        );
        Assert.Empty(result.GetProperty("faults").EnumerateArray());
        Assert.Equal(5, result.GetProperty("tried").GetInt32());
        Assert.Equal(5, result.GetProperty("different").GetInt32());
        var documents = result.GetProperty("documents").EnumerateArray().ToList();
        Assert.Equal(
            ["orders/exact", "orders/9", "orders/8", "orders/7", "orders/6"],
            documents.Select(d => d.GetProperty("id").GetString())
        );
        Assert.Equal("9007199254740993.10", documents[0].GetProperty("document").GetProperty("Total").GetRawText());
        var message = documents[0].GetProperty("after").GetProperty("messages")[0];
        Assert.Equal("orders", message.GetProperty("destination").GetString());
        Assert.Equal("9007199254740993.10", message.GetProperty("body").GetProperty("Total").GetRawText());
        var position = documents[0].GetProperty("position").GetInt64();
        Assert.Contains($"/big/{position}", message.GetProperty("id").GetString());
        var error = documents[3].GetProperty("before").GetProperty("error");
        Assert.Contains("seven", error.GetProperty("message").GetString());
        Assert.Equal(2, error.GetProperty("line").GetInt32());
        Assert.Equal("pipeline.yaml:11:27", error.GetProperty("place").GetString());
        Assert.Equal(JsonValueKind.Null, documents[3].GetProperty("after").GetProperty("error").ValueKind);
    }

    [Fact]
    public async Task Faults_have_their_place_in_the_script()
    {
        var result = await PostAsync(
            "/etl/bench",
            new { task = "big", script = "var total = doc.Total;\nsend(\"a\", totl);\nsend(\"b\", 1 + );" }
        );
        var faults = result.GetProperty("faults").EnumerateArray().ToList();
        Assert.Contains(faults, f => f.GetProperty("line").GetInt32() == 3);
        Assert.All(faults, f => Assert.DoesNotContain("transform of", f.GetProperty("message").GetString()));
        Assert.Equal(JsonValueKind.Null, result.GetProperty("documents")[0].GetProperty("after").ValueKind);
        Assert.Equal(11, result.GetProperty("tried").GetInt32());
        var destination = await PostAsync("/etl/bench", new { task = "big", script = "send(\"a/../b\", doc);" });
        Assert.NotEmpty(destination.GetProperty("faults").EnumerateArray());
    }

    [Fact]
    public async Task A_document_of_choice_becomes_a_test_case_and_the_script_yaml()
    {
        var ids = new[] { "orders/9" };
        var script = "send(\"orders\", new { doc.Total });\n";
        var yaml = (
            await PostAsync(
                "/etl/bench/case",
                new
                {
                    task = "big",
                    script,
                    ids,
                }
            )
        ).GetProperty("yaml").GetString();
        Assert.Equal(
            """
            - name: "recorded: orders/9"
              document:
                id: orders/9
                collection: Orders
                body:
                  Total: 9
              expect:
                - destination: orders
                  body:
                    Total: 9

            """,
            string.Join('\n', yaml!.Split('\n').Where(l => !l.Contains("metadata:") && !l.Contains("@last-modified")))
        );
        Assert.Equal(
            "transform: |\n  send(\"orders\", new { doc.Total });\n",
            (await PostAsync("/etl/bench/yaml", new { task = "big", script })).GetProperty("yaml").GetString()
        );
    }

    [Fact]
    public async Task The_transform_is_shown_with_its_lines_and_wrong_names_are_refused()
    {
        var shown = JsonDocument.Parse(await _http.GetStringAsync("/etl/transform?task=big")).RootElement;
        Assert.Equal("csharp", shown.GetProperty("language").GetString());
        Assert.StartsWith("if (doc.Total < 3) return;\n", shown.GetProperty("script").GetString());
        Assert.Equal([10, 11, 12], shown.GetProperty("lines").EnumerateArray().Select(l => l.GetInt32()));
        using var wrong = await _http.GetAsync("/etl/transform?task=bgi");
        Assert.Equal(HttpStatusCode.BadRequest, wrong.StatusCode);
        Assert.Contains("did you mean 'big'", await wrong.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task A_dead_letter_is_tried_without_sending()
    {
        using var stop = new CancellationTokenSource();
        var running = _worker.RunAsync(stop.Token);
        Assert.True(await _worker.DrainAsync("big"));
        var letter = JsonDocument
            .Parse(await _http.GetStringAsync("/deadletters"))
            .RootElement.GetProperty("letters")[0]
            .GetProperty("id")
            .GetString();
        var messages = _worker.GetTasks()[0].Messages;
        var path = "/deadletters/try?id=" + Uri.EscapeDataString(letter!);
        var same = await SendAsync(path, "");
        Assert.Contains("seven", same.GetProperty("error").GetProperty("message").GetString());
        var repaired = await SendAsync(path, """{"Total":8}""");
        Assert.Equal(8, repaired.GetProperty("messages")[0].GetProperty("body").GetProperty("Total").GetInt32());
        Assert.Equal(messages, _worker.GetTasks()[0].Messages);
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task Letters_that_failed_alike_are_one_group_which_is_retried_and_dropped_as_one()
    {
        for (var i = 0; i < 20; i++)
            await PutAsync($"orders/more/{i}", """{"Total":7,"@metadata":{"@collection":"Orders"}}""");
        using var stop = new CancellationTokenSource();
        var running = _worker.RunAsync(stop.Token);
        Assert.True(await _worker.DrainAsync("big"));
        var groups = JsonDocument.Parse(await _http.GetStringAsync("/deadletters/groups")).RootElement;
        Assert.Equal([21], groups.EnumerateArray().Select(g => g.GetProperty("count").GetInt32()));
        Assert.Equal("big", groups[0].GetProperty("task").GetString());
        Assert.Equal("script", groups[0].GetProperty("class").GetString());
        Assert.Equal("pipeline.yaml:11:27", groups[0].GetProperty("place").GetString());
        var group = groups[0].GetProperty("key").GetString();
        var page = JsonDocument.Parse(await _http.GetStringAsync($"/deadletters?group={group}&limit=1")).RootElement;
        Assert.Equal(21, page.GetProperty("total").GetInt32());
        var id = page.GetProperty("letters")[0].GetProperty("id").GetString();
        using (var input = new StringContent("{\"Total\":8}"))
        {
            var path = "/deadletters/letter?id=" + Uri.EscapeDataString(id!);
            (await _http.PutAsync(path, input)).EnsureSuccessStatusCode();
        }

        var outcome = await PostAsync("/deadletters/retry", new { group, waitSeconds = 60 });
        Assert.Equal(1, outcome.GetProperty("gone").GetInt32());
        Assert.Equal(20, (await PostAsync("/deadletters/drop", new { group })).GetProperty("dropped").GetInt32());
        groups = JsonDocument.Parse(await _http.GetStringAsync("/deadletters/groups?task=big")).RootElement;
        Assert.Empty(groups.EnumerateArray());
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public void A_group_has_one_task_class_line_and_error_whatever_its_values_are()
    {
        static DeadLetterView Letter(string id, string error, string place) =>
            new()
            {
                Id = id,
                Task = "big",
                Class = "script",
                Error = error,
                Place = place,
                Time = id,
            };

        var groups = DeadLetterGroup.Of([
            Letter("1", "'orders/1' has 3 lines", "a.yaml:1:1"),
            Letter("2", "'orders/2' has 44 lines", "a.yaml:1:1"),
            Letter("3", "'orders/2' has 44 lines", "a.yaml:2:1"),
            Letter("4", "no lines", "a.yaml:1:1"),
        ]);
        Assert.Equal([2, 1, 1], groups.Select(g => g.Count));
        Assert.Equal(("'orders/2' has 44 lines", "1", "2"), (groups[0].Error, groups[0].First, groups[0].Last));
    }

    private async Task PutAsync(string id, string json) =>
        await _worker.Database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    private Task<JsonElement> PostAsync(string path, object body) => SendAsync(path, JsonSerializer.Serialize(body));

    private async Task<JsonElement> SendAsync(string path, string body)
    {
        using var content = new StringContent(body);
        using var answer = await _http.PostAsync(path, content);
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.IsSuccessStatusCode, text);
        return JsonDocument.Parse(text).RootElement;
    }
}
