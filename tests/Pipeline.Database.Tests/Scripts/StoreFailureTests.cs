using Pipeline.Database.Indexes;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// Regression: a C# map that loaded a document while the store failed had the error counted as the document's own. Its
/// entry was missing, and the index moved on.
/// </summary>
public sealed class StoreFailureTests
{
    [Theory]
    [InlineData("from d in docs.Docs select new { N = LoadDocument(d.Other, \"Docs\").N }")]
    [InlineData("map('Docs', d => ({ N: load(d.Other, 'Docs').N }))")]
    public void An_index_map_passes_a_failure_of_the_store_on(string map)
    {
        var run = ScriptMapper.Compile(new IndexDefinition { Name = "I", Maps = [map] }).NewRun(new FailingDocuments());
        Assert.Throws<StoreFailure>(() =>
            run.Map(
                ScriptDocument.FromJson("docs/1", """{"Other":"docs/2"}""") with
                {
                    Collection = "Docs",
                },
                (IIndexOutput)new Indexes.IndexHost(),
                CancellationToken.None
            )
        );
    }

    [Fact]
    public void A_transform_passes_a_failure_of_the_store_on()
    {
        foreach (
            var script in new[]
            {
                ScriptCompiler.Shared.CompileTransform("send(\"t\", load(\"docs/2\").N);").Script!,
                JavaScriptCompiler.CompileTransform("loadToT(load('docs/2').N);").Script!,
            }
        )
        {
            var context = new ScriptContext(new ScriptHost(), new FailingDocuments())
            {
                Document = ScriptDocument.FromJson("docs/1", "{}"),
            };
            Assert.Throws<StoreFailure>(() => script.Run(context));
        }
    }

    private sealed class StoreFailure : Exception;

    private sealed class FailingDocuments : IScriptDocuments
    {
        public bool TryLoad(string id, out ScriptDocument document) => throw new StoreFailure();

        public bool IsStoreFailure(Exception error) => error is StoreFailure;
    }
}
