using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The figures of tasks at <c>/etl/tasks</c>, health and metrics are those of the database.</summary>
public sealed class TaskFigureTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Dead_letters_are_those_of_the_database_after_a_restart_too()
    {
        var file = Write(disabled: false);
        await using (var worker = await OpenAsync(file))
        {
            for (var i = 0; i < 21; i++)
                await PutAsync(worker, $"things/{i}", "{\"Bad\":true,\"@metadata\":{\"@collection\":\"Things\"}}");
            await RunAsync(worker);
            Assert.Equal(21, (await TasksAsync(worker))[0].GetProperty("deadLetters").GetInt64());
        }

        await using (var worker = await OpenAsync(file))
        {
            using var stop = new CancellationTokenSource();
            var running = worker.RunAsync(stop.Token);
            Assert.Equal(21, (await TasksAsync(worker))[0].GetProperty("deadLetters").GetInt64());
            Assert.Contains(
                "21 dead letters",
                (await worker.CheckReadyAsync()).Checks.Single(c => c.Name == "task bad").Detail,
                StringComparison.Ordinal
            );
            using var http = new HttpClient { BaseAddress = worker.Address };
            Assert.Matches(
                "pipeline_etl_dead_letters_stored\\{[^}]*pipeline_etl_task=\"bad\"[^}]*\\} 21",
                await http.GetStringAsync("/metrics")
            );
            var page = JsonDocument.Parse(await http.GetStringAsync("/deadletters?task=bad&limit=3")).RootElement;
            Assert.Equal(21, page.GetProperty("total").GetInt32());
            var ids = page.GetProperty("letters").EnumerateArray().Select(l => l.GetProperty("id").GetString());
            using var body = new StringContent(JsonSerializer.Serialize(new { ids }));
            (await http.PostAsync("/deadletters/drop", body)).EnsureSuccessStatusCode();
            Assert.Equal(18, (await TasksAsync(worker))[0].GetProperty("deadLetters").GetInt64());
            await stop.CancelAsync();
            await running;
        }
    }

    [Fact]
    public async Task A_disabled_task_is_listed_with_its_backlog_and_dead_letters()
    {
        var file = Write(disabled: false);
        await using (var worker = await OpenAsync(file))
        {
            await PutAsync(worker, "things/1", "{\"Bad\":true,\"@metadata\":{\"@collection\":\"Things\"}}");
            await RunAsync(worker);
        }

        await using (var worker = await OpenAsync(Write(disabled: true)))
        {
            await PutAsync(worker, "things/2", "{\"@metadata\":{\"@collection\":\"Things\"}}");
            worker.Database.Consumers.GetStatus(); // The view takes figures of up to a second ago.
            var task = Assert.Single(await TasksAsync(worker));
            Assert.Equal("bad", task.GetProperty("name").GetString());
            Assert.Equal("disabled", task.GetProperty("state").GetString());
            Assert.Equal("files", task.GetProperty("kind").GetString());
            Assert.Equal("Things", task.GetProperty("from")[0].GetString());
            Assert.Equal(1, task.GetProperty("deadLetters").GetInt64());
            Assert.Equal(1, task.GetProperty("waiting").GetInt64());
        }
    }

    private string Write(bool disabled) =>
        _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl:
              - name: bad
                from: [Things]
                to: out
                disabled: {{(disabled ? "true" : "false")}}
                transform: |
                  if (doc.Bad == true) throw new InvalidOperationException("bad");
                  send("things", doc);
            """
        );

    private static Task<PipelineWorker> OpenAsync(string file) =>
        PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });

    private static async Task RunAsync(PipelineWorker worker)
    {
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        Assert.True(await worker.DrainAsync("bad"));
        await stop.CancelAsync();
        await running;
    }

    private static async Task PutAsync(PipelineWorker worker, string id, string json) =>
        await worker.Database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    private static async Task<JsonElement[]> TasksAsync(PipelineWorker worker)
    {
        using var http = new HttpClient { BaseAddress = worker.Address };
        return [.. JsonDocument.Parse(await http.GetStringAsync("/etl/tasks")).RootElement.EnumerateArray()];
    }
}
