using System.Text;
using Pipeline.Storage;

namespace Pipeline.Indexing.Tests.Search;

/// <summary>
/// An index made from a seed by several commits with updates and deletes, and the same entries in memory.
/// </summary>
internal sealed class SearchFixture : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.Open(new StorageOptions());
    private readonly IndexStore _index;

    private SearchFixture(int seed)
    {
        Random = new Random(seed);
        _index = IndexStore.Open(_environment);
        Text = _index.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        Tag = _index.Field("Tag", new FieldOptions { Indexing = TermForm.Exact });
        (Number, Price, Place) = (_index.Field("Number"), _index.Field("Price"), _index.Field("Place"));
    }

    public Random Random { get; }

    public SortedDictionary<int, SearchDocument> Live { get; } = [];

    public IndexReader Reader { get; private set; } = null!;

    public Searcher Searcher { get; private set; } = null!;

    private IndexField Text { get; }

    private IndexField Tag { get; }

    private IndexField Number { get; }

    private IndexField Price { get; }

    private IndexField Place { get; }

    public static async Task<SearchFixture> MakeAsync(int seed, int documents, int commits, bool single = false)
    {
        var fixture = new SearchFixture(seed);
        var next = 0;
        for (var commit = 0; commit < commits; commit++)
        {
            using var batch = fixture._index.NewBatch();
            for (var i = 0; i < documents / commits; i++)
            {
                // Later commits also update and delete entries of earlier ones.
                var id =
                    commit > 0 && fixture.Random.Next(3) == 0
                        ? fixture.Random.Next(documents)
                        : commit * (documents / commits) + i;
                if (commit > 0)
                    fixture.Delete(batch, $"docs/{id}");
                if (commit > 0 && fixture.Random.Next(8) == 0)
                    continue;
                fixture.Add(batch, fixture.NewDocument($"docs/{id}", single), next++);
            }

            await fixture._index.CommitAsync([batch], commit + 1);
        }

        fixture.Reader = fixture._index.OpenReader();
        fixture.Searcher = new Searcher(fixture.Reader);
        return fixture;
    }

    public string Word() => "w" + (int)Math.Pow(2, Random.NextDouble() * 9);

    public string TagValue() => Random.Next(20) == 0 ? "" : "tag" + (int)Math.Pow(2, Random.NextDouble() * 6);

    public (double Latitude, double Longitude) Point() =>
        (Random.NextDouble() * 170 - 85, Random.NextDouble() * 360 - 180);

    public void Dispose()
    {
        Reader.Dispose();
        _index.Dispose();
        _environment.Dispose();
    }

    private SearchDocument NewDocument(string id, bool single)
    {
        string[] Words() => [.. Enumerable.Range(0, Random.Next(1, 40)).Select(_ => Word())];
        int Several(int most) => single ? 1 : Random.Next(most);
        return new SearchDocument(
            id,
            [.. Enumerable.Range(0, Several(3)).Select(_ => Words())],
            [
                .. Enumerable
                    .Range(0, Several(4))
                    .Select(_ => Random.Next(15) == 0 && !single ? null : TagValue())
                    .Distinct(),
            ],
            [.. Enumerable.Range(0, Several(3)).Select(_ => (long)Random.Next(-50, 200))],
            [.. Enumerable.Range(0, Several(2)).Select(_ => Math.Round(Random.NextDouble() * 100, 1))],
            [.. Enumerable.Range(0, Several(3)).Select(_ => Point())]
        );
    }

    private void Delete(IndexBatch batch, string id)
    {
        batch.Delete(Encoding.UTF8.GetBytes(id));
        foreach (var entry in Live.Where(e => e.Value.Id == id).Select(e => e.Key).ToList())
            Live.Remove(entry);
    }

    private void Add(IndexBatch batch, SearchDocument document, int number)
    {
        var entry = batch.Begin(Encoding.UTF8.GetBytes(document.Id));
        foreach (var text in document.Texts)
        {
            entry.BeginText(Text);
            foreach (var token in text)
                entry.AddToken(Text, Encoding.UTF8.GetBytes(token), 1);
        }

        foreach (var tag in document.Tags)
        {
            if (tag is null)
                entry.AddNull(Tag);
            else
                entry.AddText(Tag, Encoding.UTF8.GetBytes(tag));
        }

        foreach (var number_ in document.Numbers)
            entry.AddLong(Number, number_);
        foreach (var price in document.Prices)
            entry.AddDouble(Price, price);
        foreach (var (latitude, longitude) in document.Points)
            entry.AddPoint(Place, latitude, longitude);
        entry.End();
        Live.Add(number, document);
    }
}
