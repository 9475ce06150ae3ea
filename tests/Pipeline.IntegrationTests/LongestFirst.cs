using Pipeline.IntegrationTests.Conformance;
using Xunit;
using Xunit.Abstractions;

[assembly: TestCollectionOrderer("Pipeline.IntegrationTests.LongestFirst", "Pipeline.IntegrationTests")]

namespace Pipeline.IntegrationTests;

/// <summary>
/// Starts the collections that take longest first. The tests of a collection run one after another, so a long one that
/// starts last runs alone.
/// </summary>
public sealed class LongestFirst : ITestCollectionOrderer
{
    // xUnit puts a class that names no collection into one that is named after the class.
    private static readonly string[] Longest =
    [
        BrokerTests.Name,
        nameof(Studio.StudioTests),
        BrokerOutages.Name,
        nameof(RavenClient.RavenClientTests),
        ConformanceCollection.Name,
        nameof(Lucene.AnalyzerTests),
        nameof(Studio.StudioSoakTests),
    ];

    public IEnumerable<ITestCollection> OrderTestCollections(IEnumerable<ITestCollection> testCollections) =>
        testCollections.OrderBy(PlaceOf).ThenBy(c => c.DisplayName, StringComparer.Ordinal);

    private static int PlaceOf(ITestCollection collection)
    {
        var name = collection.DisplayName.Split('.')[^1];
        var place = Array.IndexOf(Longest, name);
        return place < 0 ? Longest.Length : place;
    }
}
