using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>The whole path on real files: YAML, database, transform, JSON lines.</summary>
public sealed class EtlToFilesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "pipeline-etl-" + Guid.NewGuid().ToString("N"));

    public EtlToFilesTests() => Directory.CreateDirectory(_folder);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Each_message_is_in_its_file_once_though_the_acknowledgement_was_lost()
    {
        var path = Path.Combine(_folder, "pipeline.yaml");
        await File.WriteAllTextAsync(
            path,
            """
            version: 1
            database: { name: shop, path: ./data }
            connections: { files: { files: { directory: "${OUT:./out}" } } }
            etl:
              - name: evens
                from: [Things]
                to: files
                batch: { minDocuments: 7, maxDocuments: 7 }
                transform: |
                  if (doc.N % 2 == 0) send("evens", new { doc.N, Partner = load("things/" + (doc.N + 1))?.N }, key: id);
              - name: all
                from: [@all_docs]
                to: files
                transform: send("all", doc.N);
            """
        );
        var configuration = PipelineConfiguration.Load(path, FixedVariables.None);
        await RunAsync(
            configuration,
            async database =>
            {
                await database.WriteAsync(t =>
                {
                    for (var n = 0; n < 100; n++)
                    {
                        t.Put(
                            $"things/{n}",
                            Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"Things"} }""")
                        );
                    }
                });
            }
        );
        await RunAsync(
            configuration,
            async database =>
            {
                // As after a crash between the confirmation and its commit.
                await database.WriteAsync(t => t.SetState("etl/evens", """{"version":1,"position":41}"""u8));
                await database.PutAsync(
                    "things/100",
                    """{"N":100,"@metadata":{"@collection":"Things"} }"""u8.ToArray()
                );
            }
        );

        JsonElement[] evens =
        [
            .. File.ReadLines(Path.Combine(_folder, "out", "evens.jsonl"))
                .Select(l => JsonDocument.Parse(l).RootElement),
        ];
        Assert.Equal(
            Enumerable.Range(0, 51).Select(n => n * 2),
            evens.Select(l => l.GetProperty("data").GetProperty("N").GetInt32())
        );
        Assert.Equal(51, evens.Select(l => l.GetProperty("id").GetString()).Distinct().Count());
        Assert.Equal(1, evens[0].GetProperty("data").GetProperty("Partner").GetInt32());
        Assert.Equal(JsonValueKind.Null, evens[50].GetProperty("data").GetProperty("Partner").ValueKind);
        Assert.Equal(101, File.ReadLines(Path.Combine(_folder, "out", "all.jsonl")).Count());
    }

    private static async Task RunAsync(PipelineConfiguration configuration, Func<DocumentDatabase, Task> write)
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions { Path = configuration.Database.Path, Name = configuration.Database.Name }
        );
        await write(database);
        await using var host = new EtlHost(configuration.CreatePlan(), database);
        host.Start();
        using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
        Assert.True(await host.DrainAsync(database.LastPosition, timeout.Token));
        await host.StopAsync(timeout.Token);
    }
}
