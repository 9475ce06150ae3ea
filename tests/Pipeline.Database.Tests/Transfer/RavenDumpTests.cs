using System.IO.Compression;
using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Transfer;
using Xunit;

namespace Pipeline.Database.Tests.Transfer;

public sealed class RavenDumpTests
{
    /// <summary>A dump as version 6 writes it: the raw contents of attachments follow their objects.</summary>
    private static byte[] Dump()
    {
        var dump = new MemoryStream();
        void Text(string text) => dump.Write(Encoding.UTF8.GetBytes(text));
        Text(
            """{"BuildVersion":60002,"DatabaseRecord":{"DatabaseName":"shop","Encrypted":false,"x":["]","}"]},"Docs":["""
        );
        Text("""{"@metadata":{"@export-type":"Attachment"},"Hash":"abc=","Size":11,"Tag":"d:orders/1-A"}""");
        dump.Write("]}\"\\{,[\0\u0001\u0002\u0003"u8);
        Text(
            """,{"Company":"companies/1-A","Lines":[{"P":"a,b]"},{"P":"\"}"}],"N":14.50,"@metadata":{"@collection":"Orders","Raven-Clr-Type":"Shop.Order, Shop","@attachments":[{"Name":"x"}],"@change-vector":"A:1","@id":"orders/1-A","@last-modified":"2024-01-01T00:00:00.0000000Z"}}"""
        );
        Text(
            """, {"Name":"Bäcker","@metadata":{"@id":"companies/1-A","@collection":"Companies"}},{"@metadata":{"@id":"bad\u0001","@collection":"X"}}],"""
        );
        Text(
            """
            "Tombstones":[{"Key":"orders/2-A"}],"Indexes":[{"Type":"Map","Index":{"Name":"Orders/ByCompany","Maps":["from o in docs.Orders select new { o.Company }"],"Fields":{"Company":{"Indexing":"Exact","Storage":"Yes"}},"Reduce":null}},
            {"Type":"AutoMap","Index":{}},{"Type":"Map","Index":{"Name":"Broken","Maps":["from o in docs.Orders select nonsense("]}}],
            "Identities":[{"Key":"invoices|","Value":"41"}],"CompareExchange":[{"Key":"a","Value":{"Object":1}},{"Key":"b","Value":{"Object":2}}],"Subscriptions":[]}
            """
        );
        return dump.ToArray();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Documents_indexes_and_identities_are_taken_over_and_the_rest_is_counted(bool gzip)
    {
        var path = Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():n}.ravendbdump");
        try
        {
            await using (var file = File.Create(path))
            await using (Stream target = gzip ? new GZipStream(file, CompressionLevel.Fastest) : file)
                await target.WriteAsync(Dump());
            await using var database = DocumentDatabase.Open(
                new DatabaseOptions
                {
                    Name = "shop",
                    Indexing = new IndexingOptions { Enabled = true },
                }
            );

            var report = await RavenDumpImport.ImportAsync(database, path);

            Assert.Equal((2, 1, 1, 2), (report.Documents, report.Indexes, report.Identities, report.Failed));
            Assert.Contains("document 'bad", report.Problems[0]);
            Assert.Contains("index 'Broken'", report.Problems[1]);
            Assert.Equal(
                new Dictionary<string, long>
                {
                    ["Attachments"] = 1,
                    ["CompareExchange"] = 2,
                    ["Tombstones"] = 1,
                    ["automatic indexes"] = 1,
                },
                report.LeftOut
            );
            using var snapshot = database.OpenSnapshot();
            Assert.True(snapshot.TryGet("orders/1-A", out var order));
            Assert.Contains("\"N\":14.50", order.ToString());
            Assert.Contains("\"P\":\"\\\"}\"", order.ToString());
            Assert.Contains("Raven-Clr-Type", order.ToString());
            Assert.Equal("Orders", order.Collection);
            Assert.Equal("invoices/42", (await database.PutAsync("invoices|", "{}"u8.ToArray())).Id);
            Assert.True(
                await database.Indexes.WaitAsync("Orders/ByCompany", database.LastPosition, TimeSpan.FromSeconds(30))
            );
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task A_dump_that_ends_too_soon_or_is_none_is_an_error_with_its_place()
    {
        var path = Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():n}.ravendbdump");
        try
        {
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "shop" });
            var whole = Dump();
            foreach (var length in new[] { 0, 1, 40, 200, 300, whole.Length / 2, whole.Length - 3 })
            {
                await File.WriteAllBytesAsync(path, whole[..length]);
                Assert.Contains(
                    "cannot be read at byte",
                    (await Assert.ThrowsAsync<IOException>(() => RavenDumpImport.ImportAsync(database, path))).Message
                );
            }
            await File.WriteAllBytesAsync(path, [0x28, 0xB5, 0x2F, 0xFD, 0]);
            Assert.Contains(
                "zstd -d",
                (await Assert.ThrowsAsync<IOException>(() => RavenDumpImport.ImportAsync(database, path))).Message
            );
        }
        finally
        {
            File.Delete(path);
        }
    }
}
