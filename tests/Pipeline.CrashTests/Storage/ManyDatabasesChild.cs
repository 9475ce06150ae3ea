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
        var open = new List<DocumentDatabase>();
        try
        {
            for (var i = 0; i < count; i++)
            {
                var name = i.ToString(CultureInfo.InvariantCulture);
                var database = DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(folder, name) });
                open.Add(database);
                await database.PutAsync("users/1", """{"A":1,"@metadata":{"@collection":"Users"}}"""u8.ToArray());
                await database.Indexes.PutAsync(
                    new IndexDefinition { Name = "ByA", Maps = ["from u in docs.Users select new { u.A }"] }
                );
                await database.Indexes.WaitAsync("ByA");
                if ((i + 1) % 50 == 0)
                    Console.WriteLine($"{name} databases");
            }

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
            foreach (var database in open)
                await database.DisposeAsync();
        }
    }
}
