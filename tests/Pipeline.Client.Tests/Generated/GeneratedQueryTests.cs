using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Client.Tests.Generated;

/// <summary>
/// Queries made at random give what LINQ gives on the same objects, in the process and over HTTP.
/// <c>PIPELINE_QUERIES=20000</c> sets how many,
/// <c>PIPELINE_FUZZ_MINUTES</c> how long instead, <c>PIPELINE_SEED</c> goes another way.
/// </summary>
public sealed class GeneratedQueryTests(ITestOutputHelper output)
{
    private const int UsualQueries = 400;
    private const int QueriesOfObjects = 200;
    private const int Objects = 40;

    [Fact]
    public async Task Generated_queries_answer_as_they_do_in_memory()
    {
        var count = RunSetting.Read("PIPELINE_QUERIES", UsualQueries);
        var run = new FuzzRun(count, usualSeed: 20261123);
        var refused = new Dictionary<string, int>(StringComparer.Ordinal);
        for (var set = 0; run.Rounds == 0 || run.Rounds % QueriesOfObjects == 0; set++)
        {
            if (!await RunAsync(run, run.Seed + set, refused))
                break;
        }

        var sum = refused.Values.Sum();
        output.WriteLine(
            $"{run.End()}; {sum} refused: {string.Join(", ", refused.OrderByDescending(r => r.Value).Select(r => $"{r.Key} {r.Value}"))}"
        );
        Assert.InRange(sum, 0, run.Rounds / 10);
    }

    /// <summary>Runs queries on one set of objects.</summary>
    /// <returns>Whether another set follows.</returns>
    private static async Task<bool> RunAsync(FuzzRun run, int seed, Dictionary<string, int> refused)
    {
        var random = new Random(seed);
        // Every other set has no nulls in its documents, and other names.
        var options =
            seed % 2 == 0
                ? new DocumentStoreOptions()
                : new DocumentStoreOptions
                {
                    Json = new JsonSerializerOptions
                    {
                        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
                        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
                        Converters = { new JsonStringEnumConverter() },
                    },
                };
        var values = new GeneratedObjects(random);
        List<Parcel> parcels = [.. Enumerable.Range(0, Objects).Select(values.Parcel)];
        List<Person> people = [.. Enumerable.Range(0, Objects).Select(values.Person)];
        List<Reading> readings = [.. Enumerable.Range(0, Objects).Select(values.Reading)];
        await using var embedded = await ClientFixture.OpenAsync(isRemote: false, options);
        await using var remote = await ClientFixture.OpenAsync(isRemote: true, options);
        IReadOnlyList<IDocumentSession> sessions =
        [
            embedded.Store.OpenSession(Untracked),
            remote.Store.OpenSession(Untracked),
        ];
        foreach (var fixture in (ClientFixture[])[embedded, remote])
        {
            await using var writer = fixture.Store.OpenSession();
            foreach (var entity in (object[])[.. parcels, .. people, .. readings])
                writer.Store(entity);
            await writer.SaveChangesAsync();
        }

        var comparison = new QueryComparison(random);
        IGeneratedQueries[] makers =
        [
            new GeneratedQueries<Parcel>(
                random,
                values,
                comparison,
                Ways<Parcel>,
                parcels,
                GeneratedShapes.OfParcels,
                GeneratedShapes.OfParcelSets,
                GeneratedShapes.OfParcelGroups
            ),
            new GeneratedQueries<Person>(
                random,
                values,
                comparison,
                Ways<Person>,
                people,
                GeneratedShapes.OfPeople,
                [],
                GeneratedShapes.OfPersonGroups
            ),
            new GeneratedQueries<Reading>(
                random,
                values,
                comparison,
                Ways<Reading>,
                readings,
                GeneratedShapes.OfReadings,
                [],
                GeneratedShapes.OfReadingGroups
            ),
        ];
        for (var i = 0; i < QueriesOfObjects; i++)
        {
            if (!run.Next())
                return false;
            try
            {
                if (await values.One(makers).RunAsync() is { } form)
                    refused[form] = refused.GetValueOrDefault(form) + 1;
            }
            catch (Exception e)
            {
                throw new InvalidOperationException(
                    $"query {run.Rounds}, seed {run.Seed}, objects of seed {seed}: {e.Message}\n{comparison.Text}",
                    e
                );
            }
        }

        return true;

        IReadOnlyList<IQueryable<T>> Ways<T>() => [.. sessions.Select(s => s.Query<T>())];
    }

    private static SessionOptions Untracked => new() { NoTracking = true };
}
