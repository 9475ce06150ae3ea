using System.Globalization;
using System.Text;
using Pipeline.Database;

namespace Pipeline.Benchmarks.Server;

/// <summary>
/// Bulk insert of 1 KiB documents by one client, compared with the embedded one. Goal: at least 60 % of its rate.
/// </summary>
internal static class BulkLoad
{
    private const int PartBytes = 64 << 10;

    public static async Task RunAsync(ServedProcess served, int count)
    {
        var parts = Parts(count);
        await ServerAsync(served, Parts(count / 10), 1);
        for (var round = 0; round < 3; round++)
        {
            var server = count / await ServerAsync(served, parts, round + 2);
            var embedded = count / await EmbeddedAsync(count);
            Report.Figure("SRV-bulk", "server", "rate", server, "1/s");
            Report.Figure("SRV-bulk", "embedded", "rate", embedded, "1/s");
            Report.Figure("SRV-bulk", "server", "of-embedded", server / embedded, "ratio");
        }
    }

    /// <summary>The body in chunks as HTTP has them, made outside the clock.</summary>
    private static List<byte[]> Parts(int count)
    {
        List<byte[]> parts = [];
        var text = new StringBuilder("[");
        for (var i = 0; i < count; i++)
        {
            text.Append(i == 0 ? "" : ",")
                .Append(
                    CultureInfo.InvariantCulture,
                    $$"""{"Id":"users/{{i}}","Type":"PUT","Document":{{RequestLoad.Document(i)}} }"""
                );
            if (i == count - 1)
                text.Append(']');
            if (text.Length < PartBytes && i < count - 1)
                continue;
            parts.Add(Encoding.ASCII.GetBytes($"{text.Length:X}\r\n{text}\r\n"));
            text.Clear();
        }
        return parts;
    }

    private static async Task<double> ServerAsync(ServedProcess served, List<byte[]> parts, int operation)
    {
        using var connection = await HttpConnection.OpenAsync(served.Url);
        var clock = new Clock();
        await connection.SendAsync(
            Encoding.ASCII.GetBytes(
                $"POST /databases/db/bulk_insert?id={operation} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
        );
        foreach (var part in parts)
            await connection.SendAsync(part);
        await connection.SendAsync("0\r\n\r\n"u8.ToArray());
        return await connection.ReadAsync() == 200
            ? clock.Seconds
            : throw new BenchmarkException("the bulk insert failed");
    }

    private static async Task<double> EmbeddedAsync(int count)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-bench-").FullName;
        try
        {
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = folder });
            var documents = Enumerable
                .Range(0, 1_000)
                .Select(i => Encoding.ASCII.GetBytes(RequestLoad.Document(i)))
                .ToArray();
            var clock = new Clock();
            var insert = database.BeginBulkInsert();
            await using (insert)
            {
                for (var i = 0; i < count; i++)
                    await insert.StoreAsync($"users/{i}", documents[i % documents.Length]);
                await insert.CompleteAsync();
            }
            return clock.Seconds;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
