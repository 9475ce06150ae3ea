using System.Buffers;
using System.Text;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <content>Documents that a batch includes.</content>
public sealed partial class VersionSubscriptionTests
{
    [Fact]
    public async Task Included_documents_come_once_a_batch_from_a_snapshot_as_new_as_its_changes()
    {
        await _database.PutAsync("c/1", """{"Name":"old","@metadata":{"@collection":"Companies"}}"""u8.ToArray());
        await _database.PutAsync("p/1", """{"@metadata":{"@collection":"Products"}}"""u8.ToArray());
        for (var n = 1; n <= 3; n++)
        {
            await _database.PutAsync(
                $"o/{n}",
                Encoding.UTF8.GetBytes(
                    $$$"""
                    {"Company":"{{{(
                        n == 3 ? "not an id/" : "C/1"
                    )}}}","Lines":[{"Product":"p/1"},{"Product":"p/{{{n}}}"},{"Product":7}],"@metadata":{"@collection":"Invoices"}}
                    """
                )
            );
        }

        await _host.CreateAsync(
            new SubscriptionDefinition { Name = "s", Query = "from Invoices as o include o.Company, o.Lines[].Product" }
        );
        await _host.CreateAsync(new SubscriptionDefinition { Name = "one", Query = "from Invoices include Company" });
        await _database.PutAsync("c/1", """{"Name":"new","@metadata":{"@collection":"Companies"}}"""u8.ToArray());
        var batch = await NextAsync("s");
        Assert.Equal(["C/1", "not an id/", "p/1", "p/2", "p/3"], batch.Includes.Keys.Order(StringComparer.Ordinal));
        Assert.Equal("new", batch.Includes["c/1"]!.Body.Root["Name"].GetString());
        Assert.Equal(
            (null, null, "p/1"),
            (batch.Includes["p/2"], batch.Includes["not an id/"], batch.Includes["p/1"]!.Id)
        );

        var one = await NextAsync("one");
        var text = new ArrayBufferWriter<byte>();
        one.WriteIncludes(text);
        Assert.Equal(
            $$$"""{"@includes":{"C/1":{{{batch.Includes["c/1"]}}},"not an id/":null}}""",
            Encoding.UTF8.GetString(text.WrittenSpan)
        );
        Assert.Empty((await PlainAsync()).Includes);

        async Task<SubscriptionBatch> PlainAsync()
        {
            await _host.CreateAsync(new SubscriptionDefinition { Name = "plain", Query = "from Invoices" });
            return await NextAsync("plain");
        }
    }

    [Fact]
    public async Task A_trial_shows_pairs_and_what_would_be_included()
    {
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "hold",
                Collections = ["Orders"],
                Revisions = true,
            }
        );
        await _database.PutAsync("c/1", "{}"u8.ToArray());
        await _database.PutAsync("orders/1", """{"N":1,"C":"c/1","@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        await PutAsync("orders/1", 2);
        var trial = SubscriptionTrial.Run(
            _database,
            new SubscriptionDefinition { Name = "try", Query = "from Orders (Revisions = true) include Previous.C" },
            10
        );
        Assert.Equal(2, trial.Given.Count);
        Assert.Contains(
            "\"Previous\":{\"@metadata\":{\"@id\":\"orders/1\"",
            Encoding.UTF8.GetString(trial.Given[1].Span),
            StringComparison.Ordinal
        );
        Assert.Equal("c/1", Assert.Single(trial.Includes).Value!.Id);
    }

    [Fact]
    public async Task What_is_loaded_by_a_value_that_is_no_id_is_missing()
    {
        await _database.PutAsync("i/1", """{"C":"none/","@metadata":{"@collection":"Invoices"}}"""u8.ToArray());
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["Invoices"],
                Projection = "new { Name = load(doc.C).Name }",
            }
        );
        Assert.Equal("""{"Name":null}""", Encoding.UTF8.GetString(Assert.Single(await NextAsync("s")).Projected.Span));
    }
}
