using System.Buffers;
using System.Text;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>
/// The garbage that one document causes between the feed and a line of a file: collecting it limits a task's rate.
/// </summary>
public sealed class AllocationTests
{
    private const int Documents = 2_000;

    // The message object, its id, its subject, and the script's two values with the key: 400 bytes; the rest is
    // head-room.
    private const int MaxBytesPerDocument = 500;

    [Fact]
    public async Task A_document_allocates_its_message_and_little_else()
    {
        await using var f = new RunnerFixture();
        string text = new('x', 200);
        await f.Database.WriteAsync(t =>
        {
            for (var n = 0; n < Documents; n++)
            {
                t.Put(
                    $"things/{n}",
                    Encoding.UTF8.GetBytes($$"""{"N":{{n}},"Text":"{{text}}","@metadata":{"@collection":"Things"} }""")
                );
            }
        });
        var cursor = f.Feed.OpenCursor("etl/t", new CursorFilter(["Things"], false));
        var collector = new MessageCollector(new EtlTaskConfiguration { Name = "t" }, f.Feed.DatabaseId, "test");
        var context = new ScriptContext(collector);
        var script = new ScriptCompiler().CompileTransform("send(\"out\", doc, key: id);").Script!;
        var prepared = new PreparedBatch();
        var lines = new ArrayBufferWriter<byte>();
        using var json = new CloudEventJson();

        // The first passes fill the reused buffers.
        for (var pass = 0; pass < 3; pass++)
            Pass();
        var before = GC.GetAllocatedBytesForCurrentThread();
        Pass();
        var perDocument = (GC.GetAllocatedBytesForCurrentThread() - before) / Documents;
        Assert.Equal(Documents, prepared.Messages.Count);
        Assert.True(
            perDocument <= MaxBytesPerDocument,
            $"{perDocument} bytes a document, at most {MaxBytesPerDocument} are expected"
        );

        void Pass()
        {
            prepared.Reset();
            lines.ResetWrittenCount();
            using var batch = cursor.ReadBatch(0, Documents, 1 << 24);
            for (var i = 0; i < batch.Changes.Count; i++)
            {
                var change = batch.Changes[i];
                collector.Begin(prepared, change);
                context.Document = change.Document;
                script.Run(context);
                collector.Keep();
            }

            foreach (var message in prepared.Messages)
                json.Write(message, lines);
        }
    }
}
