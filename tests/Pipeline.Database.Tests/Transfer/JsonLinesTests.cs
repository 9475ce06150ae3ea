using System.IO.Compression;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests.Transfer;

public sealed class JsonLinesTests : IAsyncLifetime
{
    private const string Mixed =
        "{\"@metadata\":{\"@id\":\"a/1\",\"@collection\":\"As\"},\"N\":1}\n"
        + "\n"
        + "{\"N\":2,}\r\n"
        + "{\"@metadata\":{\"@id\":\"a/\"},\"N\":3}\r\n"
        + "  \t\n"
        + "[4]\n"
        + "{\"@metadata\":{\"@id\":\"b\\u0001\"},\"N\":5}\n"
        + "{\"N\":\"\u00e4\xff\"}\n"
        + "{\"N\":7}";

    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-lines-").FullName;
    private readonly DocumentDatabase _db = TestDatabase.Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _db.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_abort_one_bad_line_means_that_nothing_is_imported(bool gzip)
    {
        var file = Write("mixed.jsonl", MixedBytes(), gzip);
        var e = await Assert.ThrowsAsync<ImportException>(() => JsonLinesImport.ImportAsync(_db, [file]));
        Assert.Equal(4, e.Failed);
        Assert.StartsWith(
            $"{file}:3:8: '}}' where a property name in quotes is expected (3 more). Nothing was imported",
            e.Message,
            StringComparison.Ordinal
        );
        Assert.Equal(0, _db.LastPosition);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_skip_bad_lines_are_told_and_the_rest_is_imported(bool gzip)
    {
        var file = Write("mixed.jsonl", MixedBytes(), gzip);
        var report = await JsonLinesImport.ImportAsync(
            _db,
            [file],
            new ImportOptions { OnError = ImportErrorHandling.Skip }
        );
        Assert.Equal((3, 4), (report.Imported, report.Failed));
        Assert.Equal(
            [
                $"{file}:3:8: '}}' where a property name in quotes is expected",
                $"{file}:6:1: a document must be a JSON object",
                $"{file}:7:1: 'b\uFFFD' cannot be a document id: it holds a control character",
                $"{file}:8:9: byte 0xFF does not belong here in UTF-8",
            ],
            report.Errors.Select(e => e.ToString())
        );
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(
            [("a/1", "As"), ("a/0000000000000000002-A", "@empty")],
            snapshot
                .GetByCollection("As")
                .Concat(snapshot.GetByCollection("@empty"))
                .Take(2)
                .Select(d => (d.Id, d.Collection))
        );
        Assert.Equal(
            ["1", "3", "7"],
            Enumerable
                .Range(1, 3)
                .Select(p => snapshot.TryGetByPosition(p, out var d) ? d.Body.Root["N"].ToString() : "none")
        );
    }

    [Fact]
    public async Task Errors_are_counted_beyond_those_told()
    {
        var file = Write("bad.jsonl", Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("x\n", 50))), false);
        var report = await JsonLinesImport.ImportAsync(
            _db,
            [file],
            new ImportOptions { OnError = ImportErrorHandling.Skip, MaxReportedErrors = 3 }
        );
        Assert.Equal((0, 50, 3), (report.Imported, report.Failed, report.Errors.Count));
    }

    [Fact]
    public async Task A_line_over_the_limit_is_an_error_of_that_line_alone()
    {
        await using var small = DocumentDatabase.Open(
            new DatabaseOptions { DocumentLimits = new JsonLimits { MaxBytes = 1000 } }
        );
        var text =
            "{\"N\":1}\n{\"N\":\""
            + new string('x', 300_000)
            + "\"}\n{\"N\":\""
            + new string('x', 1100)
            + "\"}\n{\"N\":2}\n";
        var file = Write("long.jsonl", Encoding.UTF8.GetBytes(text), false);
        var report = await JsonLinesImport.ImportAsync(
            small,
            [file],
            new ImportOptions { OnError = ImportErrorHandling.Skip }
        );
        Assert.Equal(
            [
                $"{file}:2:1: the line has more than the 1,000 bytes allowed",
                $"{file}:3:1: the line has more than the 1,000 bytes allowed",
            ],
            report.Errors.Select(e => e.ToString())
        );
        Assert.Equal(2, report.Imported);
    }

    [Fact]
    public async Task A_compressed_line_without_end_is_passed_over_in_little_memory()
    {
        await using var small = DocumentDatabase.Open(
            new DatabaseOptions { DocumentLimits = new JsonLimits { MaxBytes = 1000 } }
        );
        var file = Path.Combine(_folder, "bomb.jsonl.gz");
        await using (var stream = new GZipStream(File.Create(file), CompressionLevel.Fastest))
        {
            await stream.WriteAsync("{\"N\":1}\n{\"N\":\""u8.ToArray());
            var part = new byte[1 << 20];
            part.AsSpan().Fill((byte)'x');
            for (var i = 0; i < 512; i++)
                await stream.WriteAsync(part);
            await stream.WriteAsync("\"}\n{\"N\":2}\n"u8.ToArray());
        }

        Assert.InRange(new FileInfo(file).Length, 0, 8 << 20);
        // Tests beside this one allocate, too, so the least of several runs counts.
        var least = long.MaxValue;
        for (var run = 0; run < 10 && least > 256 << 20; run++)
        {
            var before = GC.GetTotalAllocatedBytes();
            var report = await JsonLinesImport.ImportAsync(
                small,
                [file],
                new ImportOptions { OnError = ImportErrorHandling.Skip }
            );
            least = Math.Min(least, GC.GetTotalAllocatedBytes() - before);
            Assert.Equal(
                [$"{file}:2:1: the line has more than the 1,000 bytes allowed"],
                report.Errors.Select(e => e.ToString())
            );
            Assert.Equal(2, report.Imported);
        }
        Assert.InRange(least, 0, 256 << 20);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_damaged_gzip_is_an_error(bool truncated)
    {
        var random = new Random(5);
        var text = new StringBuilder();
        for (var i = 0; i < 20_000; i++)
            text.Append("{\"N\":").Append(random.Next()).Append("}\n");
        var file = Write("x.jsonl", Encoding.UTF8.GetBytes(text.ToString()), true);
        var bytes = await File.ReadAllBytesAsync(file);
        if (truncated)
            bytes = bytes[..(bytes.Length / 2)];
        else
            bytes.AsSpan(bytes.Length / 2, 64).Fill(0xFF);
        await File.WriteAllBytesAsync(file, bytes);
        var e = await Assert.ThrowsAsync<ImportException>(() => JsonLinesImport.ImportAsync(_db, [file]));
        Assert.Contains(
            e.Errors,
            x =>
                x.Reason.StartsWith("the compressed file is damaged from here on", StringComparison.Ordinal)
                && x.Line > 1
        );
        Assert.Equal(0, _db.LastPosition);
    }

    [Theory]
    [InlineData("out.jsonl")]
    [InlineData("out.jsonl.gz")]
    public async Task What_is_exported_is_imported_the_same(string name)
    {
        var source = Write("in.jsonl", Sample(), false);
        var report = await JsonLinesImport.ImportAsync(
            _db,
            [source],
            new ImportOptions { BulkInsert = new BulkInsertOptions { BatchCount = 100 } }
        );
        Assert.True(report.Imported > 1000);
        var file = Path.Combine(_folder, name);
        await using var other = TestDatabase.Open();
        using (var snapshot = _db.OpenSnapshot())
            Assert.Equal(report.Imported, await JsonLinesExport.ExportFileAsync(snapshot, file));
        Assert.False(File.Exists(file + ".partial"));
        await JsonLinesImport.ImportAsync(other, [file]);
        Assert.Equal(ById(_db), ById(other));

        // Against the source itself, read by another parser.
        var stored = ById(_db);
        var lines = 0;
        foreach (var line in Encoding.UTF8.GetString(Sample()).Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            var json = JsonNode.Parse(line)!.AsObject();
            var metadata = json["@metadata"]!.AsObject();
            json.Remove("@metadata");
            var parts = stored[(string)metadata["@id"]!].Split('\n');
            Assert.Equal((string)metadata["@collection"]!, parts[0]);
            Assert.True(JsonNode.DeepEquals(json, JsonNode.Parse(parts[1])), line);
            lines++;
        }

        Assert.Equal(report.Imported, lines);
    }

    [Fact]
    public async Task Export_is_in_order_of_id_and_may_be_of_one_collection()
    {
        foreach (var id in new[] { "b", "a", "C" })
        {
            await _db.PutAsync(
                id,
                Encoding.UTF8.GetBytes(
                    "{\"@metadata\":{\"@collection\":\"" + (id == "a" ? "X" : "Y") + "\",\"k\":1},\"N\":1.0}"
                )
            );
        }

        await _db.DeleteAsync("none");
        using var snapshot = _db.OpenSnapshot();
        using var all = new MemoryStream();
        Assert.Equal(3, await JsonLinesExport.ExportAsync(snapshot, all));
        Assert.Equal(["a", "b", "C"], Ids(all));
        using var one = new MemoryStream();
        Assert.Equal(2, await JsonLinesExport.ExportAsync(snapshot, one, "y"));
        Assert.Equal(["b", "C"], Ids(one));
        Assert.EndsWith("\"k\":1},\"N\":1.0}\n", Encoding.UTF8.GetString(one.ToArray()), StringComparison.Ordinal);
        using var none = new MemoryStream();
        Assert.Equal(0, await JsonLinesExport.ExportAsync(snapshot, none, "z"));
    }

    /// <summary>Redirected output of Windows PowerShell is UTF-16. Each of its lines was told as another fault.</summary>
    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(true, false)]
    public async Task Utf16_is_told_once_with_what_to_do(bool isBigEndian, bool hasMark)
    {
        var encoding = new UnicodeEncoding(isBigEndian, hasMark);
        byte[] content = [.. encoding.GetPreamble(), .. encoding.GetBytes("{\"N\":1}\n{\"N\":2}\n")];
        var file = Write("wide.jsonl", content, gzip: false);
        var e = await Assert.ThrowsAsync<ImportException>(() => JsonLinesImport.ImportAsync(_db, [file]));
        Assert.Equal(
            [$"{file}:1:1: the file is UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 < old > new"],
            e.Errors.Select(error => error.ToString())
        );
        Assert.Equal(0, _db.LastPosition);
    }

    private static List<string?> Ids(MemoryStream lines) =>
        [
            .. Encoding
                .UTF8.GetString(lines.ToArray())
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(l => (string?)JsonNode.Parse(l)!["@metadata"]!["@id"]),
        ];

    private static Dictionary<string, string> ById(DocumentDatabase database)
    {
        using var snapshot = database.OpenSnapshot();
        return snapshot.GetByPrefix("").ToDictionary(d => d.Id, d => $"{d.Collection}\n{d.Body}");
    }

    /// <summary>Returns the sample's documents, or as many generated ones if the sample is missing.</summary>
    private static byte[] Sample()
    {
        for (DirectoryInfo? at = new(AppContext.BaseDirectory); at is not null; at = at.Parent)
        {
            var path = Path.Combine(at.FullName, "samples", "Quickstart", "northwind.jsonl");
            if (File.Exists(path))
                return File.ReadAllBytes(path);
        }

        var text = new StringBuilder();
        for (var i = 0; i < 1051; i++)
        {
            text.Append("{\"@metadata\": {\"@id\": \"orders/")
                .Append(i)
                .Append("\", \"@collection\": \"Orders\"}, \"Name\": \"Żółć ")
                .Append(i)
                .Append("\", \"Lines\": [{\"P\": 14.0, \"Q\": ")
                .Append(i)
                .Append("}], \"Note\": null}\n");
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }

    private static byte[] MixedBytes() =>
        Encoding.Latin1.GetBytes(Mixed.Replace("\u00e4", "\u00c3\u00a4", StringComparison.Ordinal));

    private string Write(string name, byte[] content, bool gzip)
    {
        var path = Path.Combine(_folder, gzip ? name + ".gz" : name);
        using var file = File.Create(path);
        if (!gzip)
        {
            file.Write(content);
            return path;
        }

        using var compressed = new GZipStream(file, CompressionLevel.Fastest);
        compressed.Write(content);
        return path;
    }
}
