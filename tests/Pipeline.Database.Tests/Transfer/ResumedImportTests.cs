using System.Globalization;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Transfer;

public sealed class ResumedImportTests : IDisposable
{
    private const int Lines = 200;
    private const string Key = "test/import";

    private static readonly ImportOptions Options = new()
    {
        PlaceKey = Key,
        OnError = ImportErrorHandling.Skip,
        BulkInsert = new BulkInsertOptions { BatchCount = 16 },
    };

    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-resume-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task After_a_crash_an_import_goes_on_and_no_document_without_id_is_there_twice()
    {
        const int seed = 7;
        var files = Write();
        var disk = new SimulatedDisk();
        await using (var database = Open(disk))
            await JsonLinesImport.ImportAsync(database, files, Options);

        var replay = new CrashReplay();
        var partly = 0;
        for (var i = 0; i < disk.Log.Count; i++)
        {
            replay.Apply(disk.Log[i]);
            if (i % 3 != 0)
                continue;
            var random = new Random(seed + i);
            await using var database = Open(replay.Crash(random, CrashMode.Mix));
            long found = Numbers(database).Count;
            if (found is > 0 and < Lines * 2)
                partly++;
            var report = await JsonLinesImport.ImportAsync(database, files, Options);
            Assert.True(
                Enumerable.Range(0, Lines * 2).SequenceEqual(Numbers(database)),
                $"seed {seed}, crash after event {i}: {found} documents were there"
            );
            Assert.True(
                report.Imported + found == Lines * 2,
                $"seed {seed}, crash after event {i}: {report.Imported} imported beside {found}"
            );
        }

        Assert.True(partly > 0, "no crash was amid the import");
    }

    [Fact]
    public async Task A_complete_import_does_nothing_more_even_where_its_files_are_gone()
    {
        var files = Write();
        await using var database = Open(new SimulatedDisk(record: false));
        Assert.Equal(Lines * 2, (await JsonLinesImport.ImportAsync(database, files, Options)).Imported);
        File.Delete(files[0]);
        Assert.Equal(0, (await JsonLinesImport.ImportAsync(database, files, Options)).Imported);
        Assert.True(JsonLinesImport.ReadPlace(database, Key)!.IsComplete);
        Assert.Equal(Lines * 2, database.LastPosition);
    }

    [Fact]
    public async Task A_file_that_changed_since_the_interruption_is_refused()
    {
        var files = Write();
        await using var database = Open(new SimulatedDisk(record: false));
        var length = new FileInfo(files[0]).Length;
        await database.WriteAsync(t =>
            t.SetState(Key, new ImportPlace(0, 16, false, [length, new FileInfo(files[1]).Length]).ToBytes())
        );
        await File.AppendAllTextAsync(files[0], "{}\n");
        var e = await Assert.ThrowsAsync<IOException>(() => JsonLinesImport.ImportAsync(database, files, Options));
        Assert.Equal(
            $"{files[0]} has changed since its import was interrupted ({length} bytes then, {length + 3} now); restore the former file, or import into an empty folder",
            e.Message
        );
        Assert.Equal(0, database.LastPosition);
    }

    private static DocumentDatabase Open(SimulatedDisk disk) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/data",
                Files = disk,
            }
        );

    private static List<int> Numbers(DocumentDatabase database)
    {
        using var snapshot = database.OpenSnapshot();
        return
        [
            .. snapshot
                .GetByCollection("Things")
                .Select(d => int.Parse(d.Body.Root["N"].ToString(), CultureInfo.InvariantCulture))
                .Order(),
        ];
    }

    private string[] Write()
    {
        string[] files = [Path.Combine(_folder, "a.jsonl"), Path.Combine(_folder, "b.jsonl")];
        for (var f = 0; f < files.Length; f++)
        {
            File.WriteAllLines(
                files[f],
                Enumerable
                    .Range(f * Lines, Lines)
                    .Select(n =>
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $$"""{"@metadata":{"@collection":"Things"},"N":{{n}}}"""
                        )
                    )
                    .Append("no document")
            );
        }

        return files;
    }
}
