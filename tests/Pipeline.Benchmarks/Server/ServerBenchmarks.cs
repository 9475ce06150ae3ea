using System.Globalization;

namespace Pipeline.Benchmarks.Server;

/// <summary>
/// Compares the server, in a separate process, with the embedded API: documents by id, batches of one document, bulk
/// insert by one client, and the memory of idle connections. Arguments: any of get put bulk idle (default all),
/// `--seconds N` (default 5), `--connections N` (default 64), `--idle N` (default 10,000).
/// </summary>
/// <remarks>
/// Client and server share the machine's processors, so requests a second are what the two achieve together.
/// The server's own processor time is reported as well.
/// </remarks>
public static class ServerBenchmarks
{
    /// <summary>Documents that are read and replaced.</summary>
    internal const int Documents = 10_000;

    public static async Task<int> RunAsync(string[] arguments)
    {
        if (arguments is ["serve"])
            return await ServedProcess.ServeAsync();
        var what = new List<string>();
        var (seconds, connections, idle) = (5, 64, 10_000);
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] is "get" or "put" or "bulk" or "idle")
            {
                what.Add(arguments[i]);
            }
            else if (arguments[i] == "--seconds" && i + 1 < arguments.Length)
            {
                seconds = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            }
            else if (arguments[i] == "--connections" && i + 1 < arguments.Length)
            {
                connections = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            }
            else if (arguments[i] == "--idle" && i + 1 < arguments.Length)
            {
                idle = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; get put bulk idle, --seconds N, --connections N, --idle N"
                );
            }
        }

        bool Wants(string part) => what.Count == 0 || what.Contains(part);
        await using var served = await ServedProcess.StartAsync();
        if (Wants("get") || Wants("put"))
            await RequestLoad.FillAsync(served.Url);
        if (Wants("get"))
            await RequestLoad.RunAsync("SRV-get", served, connections, TimeSpan.FromSeconds(seconds), RequestLoad.Get);
        if (Wants("put"))
            await RequestLoad.RunAsync("SRV-put", served, connections, TimeSpan.FromSeconds(seconds), RequestLoad.Put);
        if (Wants("get") || Wants("put"))
            await EmbeddedLoad.RunAsync(connections, TimeSpan.FromSeconds(seconds), Wants("get"), Wants("put"));
        if (Wants("bulk"))
            await BulkLoad.RunAsync(served, 200_000);
        if (Wants("idle"))
            await IdleConnections.RunAsync(served, idle);
        return 0;
    }
}
