using Pipeline.Database.Indexes;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Logging;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// A script can put any text of a document into the message of an error. No log holds it, whether the database is
/// encrypted or not.
/// </summary>
public sealed class ScriptLogTests
{
    private const string Secret = "zq7-secret-of-a-document";

    private static readonly Dictionary<string, IndexDefinition> Indexes = new(StringComparer.Ordinal)
    {
        ["JavaScriptMap"] = Index("map('Things', t => { throw new Error('it is ' + t.Text); })"),
        ["JavaScriptReduce"] = Index(
            "map('Things', t => ({ Text: t.Text + t.N, N: 1 }))",
            "groupBy(r => r.Text).aggregate(g => { throw new Error('it is ' + g.key); })"
        ),
        ["CSharpMap"] = Index("from t in docs.Things select new { A = int.Parse(t.Text) }"),
        ["CSharpReduce"] = Index(
            "from t in docs.Things select new { Text = t.Text + t.N, N = 1 }",
            "from r in results group r by r.Text into g select new { Text = g.Key, N = int.Parse(g.Key) }"
        ),
        ["CSharpMaps"] = new IndexDefinition
        {
            Name = "",
            Maps =
            [
                "from t in docs.Things select new { A = int.Parse(t.Text) }",
                "from o in docs.Others select new { A = 1 }",
            ],
        },
    };

    private static IndexDefinition Index(string map, string? reduce = null) =>
        new()
        {
            Name = "",
            Maps = [map],
            Reduce = reduce,
        };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task No_log_holds_text_that_a_script_put_into_its_message(bool isEncrypted)
    {
        using var folder = new TestFolder();
        using var log = new CapturedLines();
        folder.Write("a.key", new string('a', 64));
        folder.Write(
            "things.jsonl",
            string.Concat(
                Enumerable
                    .Range(1, 200)
                    .Select(n =>
                        $$"""{"@metadata":{"@id":"things/{{n}}","@collection":"Things"},"Text":"{{Secret}}","N":{{n}}}"""
                        + "\n"
                    )
            )
        );
        var config = folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data{{(isEncrypted ? ", encryption: { keyFile: a.key }" : "")}} }
            import: [things.jsonl]
            connections: { files: { files: { directory: ./out } } }
            etl:
              - name: csharp
                from: [Things]
                to: files
                transform: throw new InvalidOperationException("it is " + doc.Text);
              - name: javascript
                from: [Things]
                to: files
                language: javascript
                transform: throw new Error('it is ' + this.Text);
              - name: type-error
                from: [Things]
                to: files
                language: javascript
                transform: this[this.Text]();
            """
        );
        await using (
            var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = config, Loggers = log })
        )
        {
            await worker.RunOnceAsync();
            foreach (var (name, definition) in Indexes)
            {
                await worker.Database.Indexes.PutAsync(definition with { Name = name });
                // A wait that the last batch completes does not throw, although the index is in error.
                var error = await Record.ExceptionAsync(() => worker.Database.Indexes.WaitAsync(name));
                Assert.True(error is null or IndexFailedException, error?.ToString());
                Assert.Contains(
                    worker.Database.Indexes.GetErrors(name),
                    e => e.Message.Contains(Secret, StringComparison.Ordinal)
                );
            }
        }

        // The test means something only if each of them was logged.
        foreach (var part in (string[])["csharp", "javascript", "type-error"])
            Assert.Contains(log.Lines, l => l.Contains(part, StringComparison.Ordinal));
        foreach (var name in Indexes.Keys)
            Assert.Contains(log.Lines, l => l.Contains($"the index '{name}' is in error", StringComparison.Ordinal));
        Assert.Contains(log.Lines, l => l.Contains("the script failed with", StringComparison.Ordinal));
        Assert.DoesNotContain(log.Lines, l => l.Contains(Secret, StringComparison.Ordinal));
    }
}
