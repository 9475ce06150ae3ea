using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>Indexes of another history of the database: only its documents were restored from a copy.</summary>
public sealed class ForeignIndexTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-foreign-").FullName;

    private string Data => Path.Combine(_folder, "data");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task An_index_that_is_further_than_the_documents_were_is_built_anew_though_they_have_caught_up()
    {
        var copy = Path.Combine(_folder, "copy");
        await using (var database = Open(indexing: true))
        {
            await database.Indexes.PutAsync(
                new IndexDefinition { Name = "ByN", Maps = ["from t in docs.Things select new { t.N }"] }
            );
            await PutAsync(database, "things", 10, 1);
            Assert.Equal(10, await CountAsync(database, 1));
        }

        TestFolder.Copy(Data, copy);
        Directory.Delete(Path.Combine(copy, "indexes"), recursive: true);
        await using (var database = Open(indexing: true))
        {
            await PutAsync(database, "later", 6, 2);
            Assert.Equal(6, await CountAsync(database, 2));
        }

        TestFolder.Copy(copy, Data);
        await using (var database = Open(indexing: false))
            await PutAsync(database, "other", 8, 3);
        await using (var database = Open(indexing: true))
        {
            Assert.Equal(8, await CountAsync(database, 3));
            Assert.Equal(10, await CountAsync(database, 1));
            Assert.Equal(0, await CountAsync(database, 2));
        }
    }

    [Fact]
    public async Task An_index_of_the_documents_that_were_copied_with_it_is_kept()
    {
        await using (var database = Open(indexing: true))
        {
            await database.Indexes.PutAsync(
                new IndexDefinition { Name = "ByN", Maps = ["from t in docs.Things select new { t.N }"] }
            );
            await PutAsync(database, "things", 10, 1);
            Assert.Equal(10, await CountAsync(database, 1));
        }

        var copy = Path.Combine(_folder, "copy");
        TestFolder.Copy(Data, copy);
        Directory.Delete(Data, recursive: true);
        Directory.Move(copy, Data);
        for (var life = 0; life < 2; life++)
        {
            await using var database = Open(indexing: true);
            Assert.False(database.Lineages.IsInitial);
            await PutAsync(database, "more" + life, 3, 4 + life);
            Assert.Equal(3, await CountAsync(database, 4 + life));
            Assert.Equal(13 + (3 * life), database.Indexes.Get("ByN")!.Mapped);
        }
    }

    private DocumentDatabase Open(bool indexing) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Path = Data,
                Name = "shop",
                Indexing = new IndexingOptions { Enabled = indexing },
            }
        );

    private static Task PutAsync(DocumentDatabase database, string prefix, int count, int n) =>
        database.WriteAsync(t =>
        {
            for (var i = 0; i < count; i++)
            {
                t.Put(
                    $"{prefix}/{i}",
                    Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"Things"} }""")
                );
            }
        });

    private static async Task<int> CountAsync(DocumentDatabase database, int n) =>
        (
            await database.QueryAsync(
                new QueryRequest($"from index 'ByN' where N = {n}") { Wait = new IndexWait(TimeSpan.FromMinutes(1)) }
            )
        )
            .Items
            .Count;
}
