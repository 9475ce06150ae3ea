using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>What a client was told.</summary>
/// <param name="Status">The status; 0 if no answer came.</param>
/// <param name="Json">The body, if it is JSON.</param>
/// <param name="Text">The body, or the error of the connection.</param>
internal sealed record FaultAnswer(int Status, JsonElement? Json, string Text)
{
    public bool IsDone => Status is >= 200 and < 300;

    /// <summary>What is known of a write that had this answer.</summary>
    public CallOutcome Outcome =>
        IsDone ? CallOutcome.Done
        : Status == 409 ? CallOutcome.Mismatched
        : Status is 503 or 507 && Text.Contains("Nothing was changed", StringComparison.Ordinal) ? CallOutcome.Refused
        : CallOutcome.Unknown;
}

/// <summary>Sends requests to a chosen node, once each. Thread-safe.</summary>
/// <param name="nodes">Where clients reach each node.</param>
/// <param name="timeout">How long a client waits for an answer.</param>
internal sealed class FaultClient(IReadOnlyList<Uri> nodes, TimeSpan timeout) : IDisposable
{
    private readonly HttpClient _http = new(
        new SocketsHttpHandler
        {
            ConnectTimeout = timeout,
            UseProxy = false,
            PooledConnectionLifetime = TimeSpan.FromSeconds(20),
        }
    )
    {
        Timeout = Timeout.InfiniteTimeSpan,
    };

    /// <summary>Answers that no fault explains, by status and text.</summary>
    public System.Collections.Concurrent.ConcurrentDictionary<string, int> Unexpected { get; } = new();

    /// <summary>Sends a request, and never throws for what a node or the network does.</summary>
    public async Task<FaultAnswer> SendAsync(
        int node,
        HttpMethod method,
        string path,
        object? body = null,
        params (string Name, string Value)[] headers
    )
    {
        using var request = new HttpRequestMessage(method, new Uri(nodes[node], path));
        if (body is not null)
            request.Content = JsonContent.Create(body, options: JsonSerializerOptions.Default);
        foreach (var (name, value) in headers)
            request.Headers.TryAddWithoutValidation(name, value);
        using var late = new CancellationTokenSource(timeout);
        try
        {
            using var answer = await _http.SendAsync(request, late.Token);
            var text = await answer.Content.ReadAsStringAsync(late.Token);
            var found = new FaultAnswer((int)answer.StatusCode, Parse(text), text);
            if (found is { IsDone: false, Status: not (404 or 409 or 503) })
                Unexpected.AddOrUpdate($"{found.Status} {method} {path.Split('?')[0]}: {text}", 1, (_, n) => n + 1);
            return found;
        }
        // Some versions of .NET throw a SocketException when a new connection is reset at once.
        catch (Exception e)
            when (e
                    is HttpRequestException
                        or OperationCanceledException
                        or IOException
                        or System.Net.Sockets.SocketException
            )
        {
            return new FaultAnswer(0, null, e.Message);
        }
    }

    public void Dispose() => _http.Dispose();

    private static JsonElement? Parse(string text)
    {
        if (text.Length == 0 || text[0] is not ('{' or '['))
            return null;
        using var json = JsonDocument.Parse(text);
        return json.RootElement.Clone();
    }
}
