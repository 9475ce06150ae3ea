using Pipeline.Server;
using Pipeline.Server.Hosting;

namespace Pipeline.Akka.Tests;

/// <summary>A server for the remote specifications, for as long as the tests run.</summary>
internal static class SpecServer
{
    private static readonly Lazy<PipelineServer> Started = new(() => PipelineServer.StartAsync(new ServerOptions { Url = new Uri("http://127.0.0.1:0"), DataFolder = TestFolders.Make() }).GetAwaiter().GetResult());
    private static int _made;

    internal static Uri Url => Started.Value.Url;

    /// <summary>A new database of the server.</summary>
    internal static string MakeDatabase()
    {
        string name = $"spec-{Interlocked.Increment(ref _made)}";
        Started.Value.CreateDatabaseAsync(name).GetAwaiter().GetResult();
        return name;
    }
}
