namespace Pipeline.Benchmarks.Server;

/// <summary>The memory of connections that made one request and then stay silent. Goal: under 20 KB each.</summary>
internal static class IdleConnections
{
    public static async Task RunAsync(ServedProcess served, int count)
    {
        var request = "GET /databases/db/docs?id=users/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8.ToArray();
        List<HttpConnection> connections = [];
        try
        {
            await OpenAsync(100);
            var before = await served.LookAsync();
            await OpenAsync(count);
            var after = await served.LookAsync();
            Report.Figure(
                "SRV-idle",
                $"server-{count}",
                "heap",
                (after.Heap - before.Heap) / (double)count,
                "B/connection"
            );
            Report.Figure(
                "SRV-idle",
                $"server-{count}",
                "memory",
                (after.Memory - before.Memory) / (double)count,
                "B/connection"
            );
        }
        finally
        {
            foreach (var connection in connections)
                connection.Dispose();
        }

        async Task OpenAsync(int more)
        {
            for (var i = 0; i < more; i++)
            {
                var connection = await HttpConnection.OpenAsync(served.Url);
                connections.Add(connection);
                await connection.AskAsync(request);
            }
        }
    }
}
