using System.Globalization;
using System.Text;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Tests.Queries.Language;
using Pipeline.Indexing;
using Pipeline.TestKit.Queries;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <summary>
/// Random conditions find the same through an index as by checking each document; random queries end in results or a
/// typed error.
/// </summary>
public sealed class QueryAgreementTests : IAsyncLifetime
{
    private const int Documents = 300;
    private readonly DocumentDatabase _database = TestDatabase.Open();
    private readonly QueryRunner _runner;

    public QueryAgreementTests() => _runner = new QueryRunner(_database, new TestCatalog(_database));

    public async Task InitializeAsync()
    {
        var random = new Random(11);
        for (var i = 0; i < Documents; i++)
        {
            await _database.PutAsync(
                $"items/{i}",
                Encoding.UTF8.GetBytes(
                    "{" + string.Join(',', Properties(random)) + ",\"@metadata\":{\"@collection\":\"Items\"}}"
                )
            );
        }
    }

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task Random_conditions_find_what_looking_at_each_document_finds()
    {
        var found = 0;
        for (var seed = 0; seed < 250; seed++)
        {
            var condition = Condition(new Random(seed), 3);
            var byIndex = await Ids($"from Items where {condition}");
            var byDocument = await Ids($"from Items filter {condition}");
            Assert.True(
                byIndex.SequenceEqual(byDocument),
                $"seed {seed}: {condition}\nindex:     {string.Join(' ', byIndex)}\ndocuments: {string.Join(' ', byDocument)}"
            );
            found += byIndex.Length is > 0 and < Documents ? 1 : 0;
        }

        Assert.True(found > 150, $"only {found} conditions told documents apart");
    }

    [Fact]
    public async Task Random_orders_are_those_of_the_values()
    {
        for (var seed = 0; seed < 20; seed++)
        {
            var descending = seed % 2 == 1;
            var result = await _runner.RunAsync(
                new QueryRequest(
                    $"from Items where exists(n) order by n as double{(descending ? " desc" : "")}, id() select n as n, id() as id"
                )
            );
            List<(double, string)> rows = [.. result.Items.Select(i => Row(i.ToString()))];
            Assert.Equal(
                rows.OrderBy(r => descending ? -r.Item1 : r.Item1).ThenBy(r => r.Item2, StringComparer.Ordinal),
                rows
            );
        }
    }

    [Fact]
    public async Task Random_queries_end_in_results_or_a_typed_error()
    {
        int run = 0,
            refused = 0;
        var parameters = new QueryParameters(
            new Dictionary<string, object?>
            {
                ["p"] = 3,
                ["p0"] = "text",
                ["a"] = 1,
                ["list"] = new object[] { 1, "b", null! },
                ["o"] = null,
            }
        );
        for (var seed = 0; seed < 600; seed++)
        {
            var text = new QueryTexts(seed).Query();
            try
            {
                await _runner.RunAsync(new QueryRequest(text) { Parameters = parameters });
                run++;
            }
            catch (Exception error)
                when (error
                        is InvalidQueryException
                            or QueryException
                            or Pipeline.Database.Queries.Catalog.IndexNotFoundException
                )
            {
                refused++;
            }
            catch (Exception error)
            {
                Assert.Fail($"seed {seed}: {text}\n{error}");
            }
        }

        Assert.True(run > 60, $"only {run} queries ran, {refused} were refused");
    }

    private async Task<string[]> Ids(string query)
    {
        var result = await _runner.RunAsync(new QueryRequest(query));
        return [.. result.Items.Select(i => i.Id!).Order(StringComparer.Ordinal)];
    }

    private static (double, string) Row(string json)
    {
        using var document = System.Text.Json.JsonDocument.Parse(json);
        return (document.RootElement.GetProperty("n").GetDouble(), document.RootElement.GetProperty("id").GetString()!);
    }

    private static IEnumerable<string> Properties(Random random)
    {
        yield return $"\"s\":\"{(char)('a' + random.Next(5))}{(char)('a' + random.Next(3))}\"";
        if (random.Next(4) > 0)
            yield return "\"n\":" + Number(random);
        if (random.Next(3) > 0)
            yield return "\"m\":" + (random.Next(2) == 0 ? Number(random) : $"\"{(char)('a' + random.Next(5))}\"");
        yield return "\"flag\":"
            + (
                random.Next(3) switch
                {
                    0 => "true",
                    1 => "false",
                    _ => "null",
                }
            );
        yield return "\"tags\":["
            + string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => $"\"{(char)('a' + random.Next(5))}\""))
            + "]";
        yield return "\"lines\":["
            + string.Join(
                ',',
                Enumerable
                    .Range(0, random.Next(3))
                    .Select(_ => $"{{\"q\":{Number(random)},\"to\":{{\"c\":\"{(char)('a' + random.Next(4))}\"}}}}")
            )
            + "]";
    }

    private static string Number(Random random) =>
        random.Next(3) switch
        {
            0 => random.Next(-3, 10).ToString(CultureInfo.InvariantCulture),
            1 => (random.Next(-30, 100) / 10.0).ToString("0.0", CultureInfo.InvariantCulture),
            _ => (9007199254740992 + random.Next(4)).ToString(CultureInfo.InvariantCulture),
        };

    private static string Condition(Random random, int depth)
    {
        if (depth > 0)
        {
            switch (random.Next(4))
            {
                case 0:
                    return $"({Condition(random, depth - 1)} and {Condition(random, depth - 1)})";
                case 1:
                    return $"({Condition(random, depth - 1)} or {Condition(random, depth - 1)} or {Condition(random, depth - 1)})";
                case 2:
                    return $"not {Condition(random, depth - 1)}";
            }
        }

        string text = $"'{(char)('a' + random.Next(5))}'",
            pair = $"'{(char)('a' + random.Next(5))}{(char)('a' + random.Next(3))}'";
        string op = new[] { "=", "<", "<=", ">", ">=", "!=" }[random.Next(6)],
            ordered = new[] { "=", "<", "<=", ">", ">=" }[random.Next(5)];
        return random.Next(12) switch
        {
            0 => $"s {op} {pair}",
            1 => $"n {op} {Number(random)}",
            2 => $"m {op} {(random.Next(2) == 0 ? Number(random) : text)}",
            3 => $"flag = {new[] { "true", "false", "null" }[random.Next(3)]}",
            4 => $"tags[] = {text}",
            5 => $"lines[].q {ordered} {Number(random)}",
            6 => $"lines[].to.c in ({text}, 'zz')",
            7 => $"n between {Number(random)} and {Number(random)}",
            8 => $"s in ({pair}, {pair}, 'x')",
            9 => $"tags all in ({text}, {text})",
            10 => $"startsWith(s, {text})",
            _ => $"m in ({Number(random)}, {text})",
        };
    }
}
