using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>A database with indexes whose fields are all stored, so that tests can read the entries.</summary>
internal static class IndexedDatabase
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);

    public static DocumentDatabase Open(
        string? path = null,
        IndexingOptions? indexing = null,
        TimeProvider? time = null,
        IStorageFiles? files = null
    )
    {
        var made = 0;
        return DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = path,
                Files = files,
                TimeProvider = time ?? TimeProvider.System,
                NewGuid = () => new Guid(++made, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
                Indexing = indexing ?? new IndexingOptions(),
            }
        );
    }

    public static IndexDefinition Definition(string name, string map, string? reduce = null) =>
        new()
        {
            Name = name,
            Maps = [map],
            Reduce = reduce,
            Fields = new Dictionary<string, IndexFieldDefinition>
            {
                [IndexFieldDefinition.AllFields] = new() { Stored = reduce is null },
            },
        };

    public static Task PutAsync(this DocumentDatabase database, string id, string collection, string json) =>
        database.PutAsync(
            id,
            Encoding.UTF8.GetBytes($"{{\"@metadata\":{{\"@collection\":\"{collection}\"}},{json.TrimStart()[1..]}")
        );

    /// <summary>Waits until the index is at the present.</summary>
    public static async Task SettleAsync(this DocumentDatabase database, string index) =>
        Assert.True(await database.Indexes.WaitAsync(index, timeout: Timeout), $"{index} is still behind");

    /// <summary>
    /// The entries of an index in order, each as its document's id and its stored fields. Entries of a reduce have no
    /// group name.
    /// </summary>
    public static List<string> Rows(this DocumentDatabase database, string index)
    {
        using var open = database.Indexes.Open(index);
        var reader = open.Reader;
        var rows = new List<string>();
        var all = reader.OpenAll();
        for (var entry = all.Next(); entry != EntryIterator.End; entry = all.Next())
        {
            Assert.True(reader.TryGetEntry(entry, out var id, out var stored));
            var json = new BinaryJson(stored.ToArray()).ToString();
            rows.Add(open.IsGrouped ? json : $"{Encoding.UTF8.GetString(id)} {json}");
        }

        rows.Sort(StringComparer.Ordinal);
        return rows;
    }
}
