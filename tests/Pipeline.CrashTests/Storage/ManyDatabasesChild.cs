using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Pipeline.Database;
using Pipeline.Database.Indexes;

namespace Pipeline.CrashTests.Storage;

/// <summary>The child that opens many databases and keeps them open, each with a document and an index.</summary>
internal static class ManyDatabasesChild
{
    public static async Task<int> RunAsync(string folder, int count)
    {
        var open = new ConcurrentBag<DocumentDatabase>();
        try
        {
            // Most of the time goes to syncs of the disk, which several databases share.
            await Parallel.ForAsync(
                0,
                count,
                new ParallelOptions { MaxDegreeOfParallelism = 4 },
                async (i, ct) =>
                {
                    var name = i.ToString(CultureInfo.InvariantCulture);
                    var database = DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(folder, name) });
                    open.Add(database);
                    await database.PutAsync(
                        "users/1",
                        """{"A":1,"@metadata":{"@collection":"Users"}}"""u8.ToArray(),
                        ct: ct
                    );
                    await database.Indexes.PutAsync(
                        new IndexDefinition { Name = "ByA", Maps = ["from u in docs.Users select new { u.A }"] },
                        ct: ct
                    );
                    await database.Indexes.WaitAsync("ByA", ct: ct);
                    if ((i + 1) % 50 == 0)
                        Console.WriteLine($"{name} databases");
                }
            );

            using var process = Process.GetCurrentProcess();
            Console.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"done {open.Count} databases, {process.PeakWorkingSet64 >> 20} MiB"
                )
            );
            return 0;
        }
        finally
        {
            await Parallel.ForEachAsync(
                open,
                new ParallelOptions { MaxDegreeOfParallelism = 4 },
                async (database, _) => await database.DisposeAsync()
            );
        }
    }
}
