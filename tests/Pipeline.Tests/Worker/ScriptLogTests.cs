using Pipeline.Database.Indexes;
using Pipeline.TestKit.Logging;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.Tests.Worker;

/// <summary>
/// A script can put any text of a document into the message of an error. No log holds it, whether the database is
/// encrypted or not.
/// </summary>
public sealed class ScriptLogTests
{
    private const string Secret = "zq7-secret-of-a-document";

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
            string[] maps =
            [
                "map('Things', t => { throw new Error('it is ' + t.Text); })",
                "from t in docs.Things select new { A = int.Parse(t.Text) }",
            ];
            for (var i = 0; i < maps.Length; i++)
            {
                await worker.Database.Indexes.PutAsync(new IndexDefinition { Name = $"Bad{i}", Maps = [maps[i]] });
                try
                {
                    await worker.Database.Indexes.WaitAsync($"Bad{i}");
                }
                catch (IndexFailedException e)
                {
                    Assert.Contains(Secret, e.Message, StringComparison.Ordinal);
                }
            }
        }

        // The test means something only if each of them was logged.
        foreach (var part in (string[])["csharp", "javascript", "type-error", "Bad0", "Bad1"])
            Assert.Contains(log.Lines, l => l.Contains(part, StringComparison.Ordinal));
        Assert.Contains(log.Lines, l => l.Contains("the script failed with", StringComparison.Ordinal));
        Assert.DoesNotContain(log.Lines, l => l.Contains(Secret, StringComparison.Ordinal));
    }
}
