using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.TestKit.Files;

namespace Pipeline.WorkerKit;

/// <summary>
/// The content root of an application in a test, with a <c>pipeline.yaml</c> whose task sends each order to a file.
/// </summary>
public sealed class HostFolder : IDisposable
{
    public const string Yaml = """
        version: 1
        database: { name: shop, path: ./data }
        connections:
          out: { files: { directory: ./out } }
        etl:
          - { name: orders, from: [Orders], to: out, transform: 'send("orders", new { Id = id, doc.Total });' }
        """;

    private readonly TestFolder _folder = new();

    public HostFolder(string yaml = Yaml) => _folder.Write("pipeline.yaml", yaml);

    public string this[string name] => _folder[name];

    public string Write(string name, string text) => _folder.Write(name, text);

    /// <summary>An application that listens on a free port of 127.0.0.1.</summary>
    public WebApplicationBuilder NewBuilder(params (string Key, string Value)[] settings)
    {
        var builder = WebApplication.CreateSlimBuilder(
            new WebApplicationOptions { ContentRootPath = _folder.Path, EnvironmentName = "Test" }
        );
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(settings.Select(s => KeyValuePair.Create(s.Key, (string?)s.Value)));
        return builder;
    }

    /// <summary>The messages of the task.</summary>
    public IReadOnlyList<string> Messages(string folder = "out") =>
        Directory.Exists(this[folder])
            ? [.. Directory.GetFiles(this[folder], "*.jsonl").SelectMany(OpenFile.ReadLines)]
            : [];

    public void Dispose() => _folder.Dispose();
}

/// <summary>A document of these tests.</summary>
public sealed class Order
{
    public string? Id { get; set; }
    public decimal Total { get; set; }
}

/// <summary>Runs code when the host starts this service.</summary>
public sealed class AtStart(Func<CancellationToken, Task> run) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken) => run(cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}

/// <summary>
/// Stores an order when the host starts and another when it stops, as a service of an application may.
/// </summary>
public sealed class OrderWriter(IDocumentStore store) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken) => StoreAsync(1, cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => StoreAsync(2, cancellationToken);

    private async Task StoreAsync(decimal total, CancellationToken cancellationToken)
    {
        await using var session = store.OpenSession();
        session.Store(new Order { Total = total });
        await session.SaveChangesAsync(cancellationToken);
    }
}
