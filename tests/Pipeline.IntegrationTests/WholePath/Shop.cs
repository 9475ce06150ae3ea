using System.Text;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>A database with the Northwind documents, and tasks from YAML that run over it.</summary>
internal sealed class Shop(bool keepTraces = false) : IAsyncDisposable
{
    private readonly DocumentDatabase _database = DocumentDatabase.Open(
        new DatabaseOptions { Name = "shop", KeepTraces = keepTraces }
    );

    public string DatabaseId => _database.Id.ToString();

    public DocumentDatabase Database => _database;

    /// <summary>Stores the documents, in the file's order.</summary>
    public async Task ImportAsync()
    {
        await using var import = _database.BeginBulkInsert();
        foreach (var document in Northwind.Documents())
            await import.StoreAsync(Northwind.Id(document), Encoding.UTF8.GetBytes(document.ToJsonString()));
        await import.CompleteAsync();
        Assert.Equal(1_051, _database.LastPosition);
    }

    /// <summary>Makes a host of the tasks; <c>connections</c> holds at least <c>target</c>.</summary>
    public EtlHost Host(string connections, string tasks)
    {
        var yaml = $$"""
            version: 1
            database: { name: shop, path: ./data }
            connections:
            {{connections}}
            {{tasks}}
            """;
        var configuration = PipelineConfiguration.Parse(
            yaml,
            Path.Combine(Path.GetTempPath(), "pipeline.yaml"),
            FixedVariables.None
        );
        return new EtlHost(configuration.CreatePlan(), _database);
    }

    /// <summary>Runs the tasks until they have sent everything.</summary>
    public async Task RunAsync(string connections, string tasks)
    {
        await using var host = Host(connections, tasks);
        host.Start();
        using var late = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        Assert.True(
            await host.DrainAsync(_database.LastPosition, late.Token),
            string.Join(", ", host.GetStatus().Select(s => s.LastError?.Message))
        );
        Assert.All(host.GetStatus(), s => Assert.Equal(0, s.DeadLetters));
        await host.StopAsync();
    }

    public async ValueTask DisposeAsync() => await _database.DisposeAsync();
}
