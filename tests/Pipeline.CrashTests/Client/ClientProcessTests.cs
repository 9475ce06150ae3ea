using Pipeline.Client;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Processes;
using Xunit;

namespace Pipeline.CrashTests.Client;

/// <summary>Four processes with sessions on one server: no increment is lost, and no save is seen half.</summary>
public sealed class ClientProcessTests
{
    private const int Processes = 4;

    [Fact]
    public async Task Processes_lose_no_increment_and_see_no_save_half()
    {
        await using var server = await PipelineServer.StartAsync(new ServerOptions());
        await server.CreateDatabaseAsync(ClientChild.Database);
        await using var store = DocumentStore.Connect(server.Url.ToString(), ClientChild.Database);
        await ClientChild.PrepareAsync(store);
        await Task.WhenAll(Enumerable.Range(0, Processes).Select(_ => RunAsync(server.Url.ToString())));
        await using var session = store.OpenSession();
        var counters = await session.Query<CounterDocument>().OrderBy(c => c.Id).ToListAsync();
        Assert.Equal(
            [
                Processes * ClientChild.Increments,
                Processes * ClientChild.Increments,
                Processes * ClientChild.Increments,
            ],
            counters.Select(c => c.Value)
        );
    }

    private static async Task RunAsync(string url)
    {
        using var child = ChildProcess.Start(typeof(ClientChild), ["client-load", url, "safe"], readsErrors: true);
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(120));
        try
        {
            var (output, errors) = (
                child.StandardOutput.ReadToEndAsync(deadline.Token),
                child.StandardError.ReadToEndAsync(deadline.Token)
            );
            await child.WaitForExitAsync(deadline.Token);
            Assert.True(child.ExitCode == 0, $"a process ended with {child.ExitCode}: {await output}{await errors}");
        }
        finally
        {
            if (!child.HasExited)
                child.Kill();
        }
    }
}
