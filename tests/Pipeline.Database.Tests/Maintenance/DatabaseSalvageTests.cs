using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.TestKit.Files;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Database.Tests.Maintenance;

public sealed class DatabaseSalvageTests(ITestOutputHelper output)
{
    [Fact]
    public async Task EveryDocumentIsCopiedOrListedAsLostAndTheNewDatabaseIsSound()
    {
        const int seed = 21;
        using var folder = new TestFolder();
        var made = Path.Combine(folder.Path, "made");
        await DatabaseCheckTests.MakeAsync(made, 1500);
        var all = await ReadAsync(made);
        var data = File.ReadAllBytes(Path.Combine(made, "pipeline.data"));
        long lost = 0,
            unlisted = 0;
        for (var round = 0; round < 20; round++)
        {
            var random = new Random(seed + round);
            string damaged = Path.Combine(folder.Path, $"d{round}"),
                target = Path.Combine(folder.Path, $"t{round}");
            Copy(made, damaged);
            var bytes = (byte[])data.Clone();
            for (var i = random.Next(0, 6); i >= 0; i--)
                random.NextBytes(bytes.AsSpan(random.Next(3 * 8192, bytes.Length - 200), 100));
            File.WriteAllBytes(Path.Combine(damaged, "pipeline.data"), bytes);

            var report = await DatabaseSalvage.RunAsync(
                new DatabaseOptions { Path = damaged },
                new DatabaseOptions { Path = target }
            );

            var check = DatabaseCheck.Run(new DatabaseOptions { Path = target });
            Assert.True(check.IsSound, $"seed {seed}, round {round}: {string.Join("; ", check.Problems)}");
            var copied = await ReadAsync(target);
            Assert.Equal(report.Documents, copied.Count);
            var named = !report.Notes.Any(n => n.Contains("the name of collection", StringComparison.Ordinal));
            Assert.All(
                copied,
                c => Assert.Equal(named ? all[c.Key] : Unnamed(all[c.Key]), named ? c.Value : Unnamed(c.Value))
            );
            HashSet<string?> listed = [.. report.LostDocuments.Select(d => d.Id)];
            Assert.All(listed, l => Assert.True(l is null || !copied.ContainsKey(l)));
            List<string> missing = [.. all.Keys.Where(k => !copied.ContainsKey(k))];
            if (report.IsComplete)
                Assert.Empty(missing);
            if (report.Storage.Trees.Single(t => t.Name == "ids").Lost.Count == 0)
                Assert.Equal(missing, report.LostDocuments.Select(d => d.Id!).Order(StringComparer.Ordinal));
            lost += missing.Count;
            unlisted += missing.Count(m => !listed.Contains(m));
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = target });
            Assert.True(database.LastPosition >= 1515 || report.Storage.Trees.Any(t => t.Lost.Count > 0));
            var put = await database.PutAsync("things/new", "{}"u8.ToArray());
            Assert.Equal(report.LastPosition + 1, put.Position);
        }

        output.WriteLine($"{lost} lost, {unlisted} of them not listed by id");
        Assert.True(lost > 0);
    }

    private static async Task<SortedDictionary<string, string>> ReadAsync(string path)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = path });
        using var snapshot = database.OpenSnapshot();
        var found = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var document in snapshot.GetByPrefix(""))
        {
            found.Add(
                document.Id.ToLowerInvariant(),
                $"{document.Id} {document.Collection} {document.Position} {document.Body}"
            );
        }

        return found;
    }

    /// <summary>Without the collection.</summary>
    private static string Unnamed(string text) => string.Join(' ', text.Split(' ').Where((_, i) => i != 1));

    private static void Copy(string from, string to)
    {
        Directory.CreateDirectory(Path.Combine(to, "journal"));
        foreach (var file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
            File.Copy(file, Path.Combine(to, Path.GetRelativePath(from, file)));
    }
}
