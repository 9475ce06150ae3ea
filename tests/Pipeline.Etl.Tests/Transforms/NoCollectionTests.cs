using System.Text;
using Pipeline.Etl.Tests.Runner;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Transforms;

/// <summary>A document without a collection is in the collection <c>@empty</c> for tasks and subscriptions.</summary>
public sealed class NoCollectionTests
{
    [Theory]
    [InlineData(
        "csharp",
        "['@empty']",
        "send(\"out\", new { c = collection, m = getMetadata(doc)[\"@collection\"] });"
    )]
    [InlineData(
        "csharp",
        "['@Empty']",
        "send(\"out\", new { c = collection, m = getMetadata(doc)[\"@collection\"] });"
    )]
    [InlineData(
        "csharp",
        "['@all_docs']",
        "send(\"out\", new { c = collection, m = getMetadata(doc)[\"@collection\"] });"
    )]
    [InlineData("javascript", "['@empty']", "loadTo('out', { c: collection, m: getMetadata(this)['@collection'] });")]
    public async Task Tasks_see_it(string language, string from, string transform)
    {
        await using var fixture = new RunnerFixture();
        await fixture.Database.PutAsync("loose/1", """{"N":1}"""u8.ToArray());
        await using var host = fixture.Start(RunnerFixture.Task("t", transform, from, $"language: {language}"));
        Assert.True(
            await host.DrainAsync(fixture.Database.LastPosition, CancellationToken.None)
                .WaitAsync(RunnerFixture.Timeout)
        );
        Assert.Contains(
            """{"c":"@empty","m":"@empty"}""",
            Assert.Single(fixture.Broker.Bodies()),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Scripts_of_subscriptions_see_it()
    {
        await using var fixture = new RunnerFixture();
        await fixture.Database.PutAsync("loose/1", """{"N":1}"""u8.ToArray());
        await using var host = SubscriptionHost.Open(fixture.Database, TimeProvider.System);
        await host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Filter = "collection == \"@empty\"",
                Projection = "new { c = collection }",
            }
        );
        await using var worker = await host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal(
            ("loose/1", """{"c":"@empty"}"""),
            (batch.Single().Id, Encoding.UTF8.GetString(batch.Single().Projected.Span))
        );
    }
}
