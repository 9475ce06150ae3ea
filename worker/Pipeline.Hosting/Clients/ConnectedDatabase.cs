using System.Net;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Pipeline.Client;
using Pipeline.Hosting.Databases;

namespace Pipeline.Hosting.Clients;

/// <summary>A database of a running worker. Thread-safe.</summary>
internal sealed class ConnectedDatabase : IDocumentSource
{
    /// <summary>How long a connection to the server is used, so that a changed address is noticed.</summary>
    public static readonly TimeSpan ConnectionLifetime = TimeSpan.FromMinutes(2);

    private const int MaxAnswer = 64 << 10;
    private readonly ClientConnection _connection;
    private readonly HttpClient _http;

    /// <summary>Connects at the first request.</summary>
    /// <exception cref="InvalidOperationException">The connection string is missing or malformed.</exception>
    public ConnectedDatabase(IServiceProvider services, string name, DocumentStoreOptions? store)
    {
        _connection = services.GetRequiredService<IOptionsMonitor<ClientConnection>>().Get(name);
        _http = services.GetRequiredService<IHttpClientFactory>().CreateClient(ClientName(name));
        Store = DocumentStore.Connect(_connection.Url, _connection.Database, store, _http);
    }

    /// <inheritdoc/>
    public IDocumentStore Store { get; }

    /// <summary>The name of a connection's HTTP client.</summary>
    public static string ClientName(string connectionName) => $"Pipeline:{connectionName}";

    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckAsync(HealthStatus failure, CancellationToken cancellationToken)
    {
        var database = $"'{_connection.Database}' at {_connection.Url}";
        try
        {
            using var found = await _http
                .GetAsync(
                    $"{_connection.Url}/databases/{Uri.EscapeDataString(_connection.Database)}/stats",
                    HttpCompletionOption.ResponseHeadersRead,
                    cancellationToken
                )
                .ConfigureAwait(false);
            if (!found.IsSuccessStatusCode)
            {
                return new HealthCheckResult(
                    failure,
                    found.StatusCode switch
                    {
                        _ when found.Headers.Contains("Database-Missing") => $"the server has no database {database}",
                        HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized =>
                            $"the client has no access to {database} (HTTP {(int)found.StatusCode})",
                        _ => $"the server answers {(int)found.StatusCode} for {database}",
                    }
                );
            }
            using var ready = await _http
                .GetAsync(
                    $"{_connection.Url}/health/ready",
                    HttpCompletionOption.ResponseHeadersRead,
                    cancellationToken
                )
                .ConfigureAwait(false);
            return await StatusAsync(ready, cancellationToken).ConfigureAwait(false) switch
            {
                "unready" => new HealthCheckResult(failure, $"the server of {database} is unready"),
                "degraded" => HealthCheckResult.Degraded($"the server of {database} is degraded"),
                _ => HealthCheckResult.Healthy(),
            };
        }
        catch (Exception e)
            when (e is HttpRequestException or IOException
                || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)
            )
        {
            return new HealthCheckResult(failure, $"the server of {database} cannot be reached: {e.Message}", e);
        }
    }

    /// <summary>The worker's status; null from a server that has none.</summary>
    private static async Task<string?> StatusAsync(HttpResponseMessage answer, CancellationToken cancellationToken)
    {
        if (answer.Content.Headers.ContentType?.MediaType != "application/json")
            return null;
        await answer.Content.LoadIntoBufferAsync(MaxAnswer, cancellationToken).ConfigureAwait(false);
        try
        {
            using var report = JsonDocument.Parse(
                await answer.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false)
            );
            return
                report.RootElement.ValueKind == JsonValueKind.Object
                && report.RootElement.TryGetProperty("status", out var status)
                ? status.GetString()
                : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
