using System.Text;
using Pipeline.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>'dependsOn: load': a document is sent again when one that it loaded changes.</summary>
public sealed class DependsOnTests
{
    private const string Named =
        "var c = load(doc.Customer); send(\"out\", new { Id = id, Name = c == null ? \"nobody\" : c.Name });";

    [Fact]
    public async Task A_change_of_a_loaded_document_sends_those_again_that_loaded_it_and_no_others()
    {
        await using var f = new RunnerFixture();
        await PutCustomerAsync(f, 1, "Ada");
        await PutCustomerAsync(f, 2, "Bob");
        for (var n = 1; n <= 4; n++)
            await PutOrderAsync(f, n, customer: n % 2 + 1);
        await f.RunToEndAsync(Task("t", "dependsOn: load"), Task("plain", ""));
        Assert.Equal([Sent(1, "Bob"), Sent(2, "Ada"), Sent(3, "Bob"), Sent(4, "Ada")], f.Broker.Bodies("t"));

        await PutCustomerAsync(f, 2, "Bert");
        await f.RunToEndAsync(Task("t", "dependsOn: load"), Task("plain", ""));
        Assert.Equal([Sent(1, "Bert"), Sent(3, "Bert")], f.Broker.Bodies("t")[4..].Order(StringComparer.Ordinal));
        Assert.Equal(4, f.Broker.Bodies("plain").Length);
        Assert.Equal(f.Broker.Ids().Length, f.Broker.Ids().Distinct().Count());
    }

    [Fact]
    public async Task What_a_change_costs_does_not_grow_with_what_the_batch_has_loaded()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 2_000);
        using var snapshot = f.Feed.OpenSnapshot();
        var dependencies = new LoadDependencies("t");
        dependencies.Begin(snapshot, new PreparedBatch());
        long first = Run(0, 500),
            last = Run(1_500, 2_000);
        Assert.True(last < first * 2, $"500 changes allocated {first} bytes at first and {last} in the end");

        long Run(int from, int to)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var n = from; n < to; n++)
            {
                var id = $"things/{n}";
                Assert.True(dependencies.TryLoad(id, out var document));
                dependencies.Keep(document);
                Assert.Empty(dependencies.DependentsOf(id, snapshot.LastPosition, ""));
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    [Fact]
    public async Task Deleting_and_making_a_loaded_document_are_changes_of_it()
    {
        await using var f = new RunnerFixture();
        await PutOrderAsync(f, 1, customer: 1);
        await using var host = f.Start(Task("t", "dependsOn: load"));
        Assert.True(await f.DrainAsync(host));
        await PutCustomerAsync(f, 1, "Ada");
        Assert.True(await f.DrainAsync(host));
        await f.Database.DeleteAsync("customers/1");
        Assert.True(await f.DrainAsync(host));
        Assert.Equal([Sent(1, "nobody"), Sent(1, "Ada"), Sent(1, "nobody")], f.Broker.Bodies());
    }

    [Fact]
    public async Task What_is_no_more_loaded_or_no_more_there_is_forgotten()
    {
        await using var f = new RunnerFixture();
        await PutCustomerAsync(f, 1, "Ada");
        await PutCustomerAsync(f, 2, "Bob");
        await PutOrderAsync(f, 1, customer: 1);
        await PutOrderAsync(f, 2, customer: 1);
        await f.RunToEndAsync(Task("t", "dependsOn: load"));
        await PutOrderAsync(f, 1, customer: 2);
        await f.Database.DeleteAsync("orders/2");
        await f.RunToEndAsync(Task("t", "dependsOn: load"));
        var before = f.Broker.Bodies().Length;
        await PutCustomerAsync(f, 1, "Alma");
        await f.RunToEndAsync(Task("t", "dependsOn: load"));
        Assert.Equal(before, f.Broker.Bodies().Length);
        using var snapshot = f.Database.OpenSnapshot();
        Assert.Single(snapshot.GetStates("etl-loads/t/"));
        Assert.Single(snapshot.GetStates("etl-loaded-by/t/"));
        Assert.Empty(snapshot.GetStates("etl-load-at/"));
    }

    [Fact]
    public async Task What_a_loaded_document_loads_in_its_turn_is_followed_where_the_script_loads_it_and_no_chain_arises()
    {
        await using var f = new RunnerFixture();
        const string two =
            "var c = load(doc.Customer); var r = load(c.Region); send(\"out\", new { Id = id, r.Name });";
        await f.Database.PutAsync("regions/1", Json("""{"Name":"North","@metadata":{"@collection":"Regions"} }"""));
        await f.Database.PutAsync(
            "customers/1",
            Json("""{"Name":"Ada","Region":"regions/1","@metadata":{"@collection":"Customers"} }""")
        );
        await PutOrderAsync(f, 1, customer: 1);
        await f.RunToEndAsync(Task("t", "dependsOn: load", two));
        await f.Database.PutAsync("regions/1", Json("""{"Name":"South","@metadata":{"@collection":"Regions"} }"""));
        await f.RunToEndAsync(Task("t", "dependsOn: load", two));
        Assert.Equal([Sent(1, "North"), Sent(1, "South")], f.Broker.Bodies());
    }

    [Fact]
    public async Task Dependents_of_one_change_go_in_batches_and_a_restart_in_between_goes_on_there()
    {
        await using var f = new RunnerFixture();
        await PutCustomerAsync(f, 1, "Ada");
        await f.Database.WriteAsync(t =>
        {
            for (var n = 0; n < 3000; n++)
                t.Put($"orders/{n}", Json("""{"Customer":"customers/1","@metadata":{"@collection":"Orders"} }"""));
        });
        var task = Task("t", "dependsOn: load\n    batch: { minDocuments: 10, maxDocuments: 100 }");
        await f.RunToEndAsync(task);
        Assert.Equal(3000, f.Broker.Bodies().Length);
        await PutCustomerAsync(f, 1, "Alma");
        var batches = 0;
        using var stopped = new SemaphoreSlim(0);
        await using (var host = f.NewHost(task))
        {
            f.Broker.Gate = async (_, stop) =>
            {
                if (++batches <= 10)
                    return;
                stopped.Release();
                await System.Threading.Tasks.Task.Delay(Timeout.Infinite, stop);
            };
            host.Start();
            Assert.True(await stopped.WaitAsync(RunnerFixture.Timeout));
        }

        f.Broker.Gate = null;
        await f.RunToEndAsync(task);
        Assert.Equal(6000, f.Broker.Bodies().Length);
        Assert.Equal(6000, f.Broker.Ids().Distinct().Count());
        Assert.Equal(3000, f.Broker.Bodies().Count(b => b.Contains("Alma", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_document_that_fails_when_it_is_sent_again_is_parked_as_itself()
    {
        await using var f = new RunnerFixture();
        await PutCustomerAsync(f, 1, "Ada");
        await PutOrderAsync(f, 1, customer: 1);
        const string strict =
            "var c = load(doc.Customer); if (c.Name == \"bad\") throw new Exception(\"x\"); send(\"out\", c.Name);";
        await f.RunToEndAsync(Task("t", "dependsOn: load", strict));
        await PutCustomerAsync(f, 1, "bad");
        await using (var host = f.Start(Task("t", "dependsOn: load", strict)))
            await f.DrainOverWaitsAsync(host);
        var letter = Assert.Single(f.DeadLetters());
        Assert.Contains("orders/1", letter.GetRawText(), StringComparison.Ordinal);
        await PutCustomerAsync(f, 1, "Eve");
        await f.RunToEndAsync(Task("t", "dependsOn: load", strict));
        Assert.Equal(["\"Ada\"", "\"Eve\""], f.Broker.Bodies());
    }

    [Fact]
    public void It_is_refused_beside_deleteAfterSend()
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(
                "version: 1\ndatabase: { name: a, path: . }\nconnections: { c: { files: } }\netl:\n"
                    + Task("t", "dependsOn: load\n    deleteAfterSend: true"),
                "f.yaml",
                FixedVariables.None
            )
        );
        Assert.Contains("dependsOn", Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    private static string Task(string name, string more, string transform = Named) =>
        RunnerFixture.Task(name, transform, "[Orders]", more);

    private static string Sent(int order, string name) => $$"""{"Id":"orders/{{order}}","Name":"{{name}}"}""";

    private static byte[] Json(string text) => Encoding.UTF8.GetBytes(text);

    private static async Task PutCustomerAsync(RunnerFixture f, int n, string name) =>
        await f.Database.PutAsync(
            $"customers/{n}",
            Json($$"""{"Name":"{{name}}","@metadata":{"@collection":"Customers"} }""")
        );

    private static async Task PutOrderAsync(RunnerFixture f, int n, int customer) =>
        await f.Database.PutAsync(
            $"orders/{n}",
            Json($$"""{"Customer":"customers/{{customer}}","@metadata":{"@collection":"Orders"} }""")
        );
}
