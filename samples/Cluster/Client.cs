using System.Net.Http.Json;
using System.Text.Json;

namespace ClusterSample;

/// <summary>
/// A client that writes and reads at whichever node answers. RavenDB's clients do the same by themselves, when they are
/// given the addresses of all nodes.
/// </summary>
public sealed class Client(IReadOnlyList<Uri> nodes) : IDisposable
{
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(5);
    private readonly HttpClient _http = new(
        new SocketsHttpHandler { ConnectTimeout = TimeSpan.FromSeconds(1), UseProxy = false }
    )
    {
        Timeout = MaxAnswer,
    };
    private int _first;

    /// <summary>How often a request was sent again.</summary>
    public int Retries;

    /// <summary>Writes a document. When this returns, the cluster has acknowledged it.</summary>
    public async Task WriteAsync(int number, CancellationToken ct)
    {
        var document = new Dictionary<string, object>
        {
            ["Number"] = number,
            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
        };
        // The outcome of a try that failed is not known. The same write again is right in either case.
        using var answer = await SendAsync(
            () =>
                new HttpRequestMessage(HttpMethod.Put, $"/databases/shop/docs?id=orders/{number}")
                {
                    Content = JsonContent.Create(document),
                },
            ct
        );
        if (!answer.IsSuccessStatusCode)
            throw new HttpRequestException($"orders/{number}: {await answer.Content.ReadAsStringAsync(ct)}");
    }

    /// <summary>Reads the number in a document; null if it is not there.</summary>
    public async Task<int?> ReadAsync(int number, CancellationToken ct)
    {
        using var answer = await SendAsync(
            () => new HttpRequestMessage(HttpMethod.Get, $"/databases/shop/docs?id=orders/{number}"),
            ct
        );
        if (!answer.IsSuccessStatusCode)
            return null;
        using var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync(ct));
        return json.RootElement.GetProperty("Results")[0] is { ValueKind: JsonValueKind.Object } found
            ? found.GetProperty("Number").GetInt32()
            : null;
    }

    /// <summary>Reads the number in a document at one node; null if it does not answer, and 0 if it has none.</summary>
    public async Task<int?> ReadAtAsync(Uri node, int number)
    {
        try
        {
            using var answer = await _http.GetAsync(new Uri(node, $"/databases/shop/docs?id=orders/{number}"));
            if ((int)answer.StatusCode == 404)
                return 0;
            if (!answer.IsSuccessStatusCode)
                return null;
            using var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync());
            return json.RootElement.GetProperty("Results")[0] is { ValueKind: JsonValueKind.Object } found
                ? found.GetProperty("Number").GetInt32()
                : 0;
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            return null;
        }
    }

    /// <summary>What any node says of all; null if none answers before the call is cancelled.</summary>
    public async Task<JsonElement?> TryStatusAsync(CancellationToken ct)
    {
        try
        {
            using var answer = await SendAsync(() => new HttpRequestMessage(HttpMethod.Get, "/cluster/status"), ct);
            return await answer.Content.ReadFromJsonAsync<JsonElement>(ct);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    /// <summary>Has a node lead in place of the leader.</summary>
    public async Task HandOverAsync(string to, CancellationToken ct)
    {
        using var answer = await SendAsync(
            () => new HttpRequestMessage(HttpMethod.Post, $"/cluster/handover?to={to}"),
            ct
        );
        if (!answer.IsSuccessStatusCode)
            throw new HttpRequestException(await answer.Content.ReadAsStringAsync(ct));
    }

    /// <summary>Compares the stores of all nodes page by page.</summary>
    public async Task<JsonElement> VerifyAsync(CancellationToken ct)
    {
        using var answer = await SendAsync(() => new HttpRequestMessage(HttpMethod.Post, "/cluster/verify"), ct);
        return answer.IsSuccessStatusCode
            ? await answer.Content.ReadFromJsonAsync<JsonElement>(ct)
            : throw new HttpRequestException(await answer.Content.ReadAsStringAsync(ct));
    }

    public void Dispose() => _http.Dispose();

    /// <summary>Asks one node after the other until one answers with anything but 503.</summary>
    private async Task<HttpResponseMessage> SendAsync(Func<HttpRequestMessage> request, CancellationToken ct)
    {
        for (var attempt = 0; ; attempt++)
        {
            var node = nodes[(Volatile.Read(ref _first) + attempt) % nodes.Count];
            using var next = request();
            next.RequestUri = new Uri(node, next.RequestUri!);
            try
            {
                var answer = await _http.SendAsync(next, ct);
                if ((int)answer.StatusCode != 503)
                {
                    Volatile.Write(ref _first, (Volatile.Read(ref _first) + attempt) % nodes.Count);
                    return answer;
                }
                answer.Dispose();
            }
            catch (Exception e)
                when ((e is HttpRequestException or TaskCanceledException) && !ct.IsCancellationRequested)
            {
                // This node is away; the next one may not be.
            }
            Interlocked.Increment(ref Retries);
            await Task.Delay(20, ct);
        }
    }
}
