using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Resuming;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>
/// A database folder, a task that writes to files, and operations of people and backup tools on folders.
/// </summary>
public sealed class LineageFixture : IDisposable
{
    private readonly string _folder = Path.Combine(
        Path.GetTempPath(),
        "pipeline-lineage-" + Guid.NewGuid().ToString("N")
    );

    public LineageFixture() => Directory.CreateDirectory(_folder);

    public string Data => Path.Combine(_folder, "data");

    public string Copy => Path.Combine(_folder, "copy");

    /// <summary>Settings of the task besides the ordinary ones.</summary>
    public string More { get; set; } = "";

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    public static DocumentDatabase Open(string path) =>
        DocumentDatabase.Open(new DatabaseOptions { Path = path, Name = "shop" });

    public PipelineConfiguration Configuration =>
        PipelineConfiguration.Parse(
            """
            version: 1
            database: { name: shop, path: ./data }
            connections: { c: { files: { directory: ./out } } }
            etl:

            """ + RunnerFixture.Task("t", more: More),
            Path.Combine(_folder, "pipeline.yaml"),
            FixedVariables.None
        );

    public EtlHost NewHost(DocumentDatabase database) => new(Configuration.CreatePlan(), database);

    /// <summary>A person's decision, while no worker has the database open.</summary>
    public async Task<ResumedTask> ResumeAsync(string from)
    {
        await using var database = Open(Data);
        return await new ResumeService(database).ResumeAsync(Configuration.Etl[0], from);
    }

    /// <summary>Writes documents, and runs the task until all is sent or it cannot go on.</summary>
    public async Task<EtlTaskStatus> WriteAndRunAsync(int from, int count, string? path = null)
    {
        await using var database = Open(path ?? Data);
        await PutAsync(database, from, count);
        await using var host = NewHost(database);
        host.Start();
        using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
        await host.DrainAsync(database.LastPosition, timeout.Token);
        var status = host.GetStatus()[0];
        await host.StopAsync(timeout.Token);
        return status;
    }

    public static Task PutAsync(DocumentDatabase database, int from, int count) =>
        database.WriteAsync(t =>
        {
            for (var n = from; n < from + count; n++)
                t.Put($"things/{n}", Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"Things"} }"""));
        });

    public JsonElement[] Lines() =>
        File.Exists(Path.Combine(_folder, "out", "out.jsonl"))
            ?
            [
                .. File.ReadLines(Path.Combine(_folder, "out", "out.jsonl"))
                    .Select(l => JsonDocument.Parse(l).RootElement),
            ]
            : [];

    /// <summary>The documents that the file tells of.</summary>
    public int[] Sent() => [.. Lines().Select(l => l.GetProperty("data").GetProperty("N").GetInt32())];

    public static int Count(string path)
    {
        var database = Open(path);
        using var snapshot = database.OpenSnapshot();
        var count = (int)snapshot.GetStatistics().Documents;
        snapshot.Dispose();
        database.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return count;
    }
}
