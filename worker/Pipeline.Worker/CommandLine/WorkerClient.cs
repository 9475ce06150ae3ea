using System.CommandLine;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Cluster;

namespace Pipeline.Worker.CommandLine;

/// <summary>Sends requests to a running worker over HTTP, and turns failures into clear errors.</summary>
internal sealed class WorkerClient : IDisposable
{
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(15);
    private readonly HttpClient _http;
    private readonly Uri _url;

    /// <summary>Creates a client for an address as typed.</summary>
    /// <exception cref="WorkerException">The address is invalid.</exception>
    public WorkerClient(string address)
    {
        if (!Uri.TryCreate(address, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
        {
            throw new WorkerException(
                $"--url '{address}' is not an http address; it is usually {WorkerDefaults.ServerUrl}",
                ExitCodes.Usage
            );
        }

        _url = url;
        _http = new HttpClient(new ResetAsUnreachable(WorkerTrust.Handler())) { Timeout = Timeout.InfiniteTimeSpan };
    }

    private string Place => _url.GetLeftPart(UriPartial.Authority);

    /// <summary>The option of commands that ask a worker instead of opening the database.</summary>
    public static Option<string?> InsteadOption() =>
        new("--url")
        {
            Description =
                "Ask the running worker at this address. Without it, the worker that has the data folder open is found by itself.",
            HelpName = "URL",
        };

    /// <summary>The option of commands that need a running worker.</summary>
    public static Option<string?> FoundOption() =>
        new("--url")
        {
            Description =
                $"The worker's address (server.url in its configuration). Without it, the worker that has the data folder open is found by itself; without one, {WorkerDefaults.ServerUrl} is asked.",
            HelpName = "URL",
        };

    /// <summary>The worker's response at a path, whatever the status.</summary>
    /// <exception cref="WorkerException">No worker answers there.</exception>
    public async Task<(bool Ok, int Status, string Body)> AskAsync(
        HttpMethod method,
        string path,
        TimeSpan? timeout,
        CancellationToken cancellationToken,
        byte[]? json = null
    )
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (timeout is { } time)
            late.CancelAfter(time);
        try
        {
            using var request = new HttpRequestMessage(method, new Uri(_url, path));
            if (json is not null)
                request.Content = new ByteArrayContent(json) { Headers = { ContentType = new("application/json") } };
            using var response = await _http.SendAsync(request, late.Token).ConfigureAwait(false);
            return await ReadAsync(response, late.Token).ConfigureAwait(false);
        }
        catch (HttpRequestException e)
        {
            throw NoAnswer(e);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new WorkerException(
                $"the worker at {Place} did not answer within {timeout!.Value.TotalSeconds:0} s",
                ExitCodes.Failed,
                e
            );
        }
    }

    /// <summary>A GET request with the default timeout of some seconds.</summary>
    public Task<(bool Ok, int Status, string Body)> AskAsync(string path, CancellationToken cancellationToken) =>
        AskAsync(HttpMethod.Get, path, RequestTimeout, cancellationToken);

    /// <summary>The JSON at a path of a worker of this version.</summary>
    /// <exception cref="WorkerException">No worker answers there, or it has no such path.</exception>
    public async Task<string> GetAsync(string path, CancellationToken cancellationToken) =>
        Check(path, await AskAsync(path, cancellationToken).ConfigureAwait(false));

    /// <summary>Sends a request, with JSON if given, and waits for the response without a time limit.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<string> SendAsync(
        HttpMethod method,
        string path,
        CancellationToken cancellationToken,
        byte[]? json = null
    ) => Check(path, await AskAsync(method, path, null, cancellationToken, json).ConfigureAwait(false));

    /// <summary>Sends a body as JSON to a worker, and reads the answer. Waits for it without a time limit.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public static async Task<TAnswer> PostAsync<TAnswer>(
        string url,
        string path,
        object body,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var json = JsonSerializer.SerializeToUtf8Bytes(body, JsonForms.Line);
        return Read<TAnswer>(
            await client.SendAsync(HttpMethod.Post, path, cancellationToken, json).ConfigureAwait(false)
        );
    }

    /// <summary>Sends a body while it reads it. Waits for the answer without a time limit.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<string> PostAsync(string path, HttpContent body, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(_url, path)) { Content = body };
        using var response = await ReachAsync(request, cancellationToken).ConfigureAwait(false);
        return Check(path, await ReadAsync(response, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Opens the answer at a path, to be read as it arrives.</summary>
    /// <inheritdoc cref="GetAsync"/>
    public async Task<HttpResponseMessage> OpenAsync(string path, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(_url, path));
        var response = await ReachAsync(request, cancellationToken).ConfigureAwait(false);
        if (response.IsSuccessStatusCode)
            return response;
        using (response)
            Check(path, await ReadAsync(response, cancellationToken).ConfigureAwait(false));
        return response;
    }

    /// <summary>
    /// Copies lines from a worker's path as they arrive, until the response ends or is cancelled, which is a normal
    /// end.
    /// </summary>
    /// <exception cref="WorkerException">No worker answers there, or it has no such path.</exception>
    public async Task CopyLinesAsync(string path, TextWriter output, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await _http
                .GetAsync(new Uri(_url, path), HttpCompletionOption.ResponseHeadersRead, cancellationToken)
                .ConfigureAwait(false);
            if (!response.IsSuccessStatusCode)
                Check(path, await ReadAsync(response, cancellationToken).ConfigureAwait(false));
            using var reader = new StreamReader(
                await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false)
            );
            while (await reader.ReadLineAsync(cancellationToken).ConfigureAwait(false) is { } line)
            {
                await output.WriteLineAsync(line.AsMemory(), cancellationToken).ConfigureAwait(false);
                await output.FlushAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw new WorkerException($"lost the worker at {Place}: {e.Message}", ExitCodes.Failed, e);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Interrupting it is its normal end.
        }
    }

    /// <summary>The name of the worker's database.</summary>
    /// <exception cref="WorkerException">No worker answers there.</exception>
    public async Task<string> DatabaseNameAsync(CancellationToken cancellationToken) =>
        Read<DatabaseView>(await GetAsync("/stats", cancellationToken).ConfigureAwait(false)).Name;

    /// <summary>Deserializes the result of <see cref="GetAsync"/>.</summary>
    public static T Read<T>(string text) =>
        JsonSerializer.Deserialize<T>(text, JsonForms.Indented)
        ?? throw new WorkerException("the worker's answer is empty", ExitCodes.Failed);

    /// <inheritdoc/>
    public void Dispose() => _http.Dispose();

    private async Task<HttpResponseMessage> ReachAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            return await _http
                .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (HttpRequestException e)
        {
            throw NoAnswer(e);
        }
    }

    private static async Task<(bool Ok, int Status, string Body)> ReadAsync(
        HttpResponseMessage response,
        CancellationToken cancellationToken
    ) =>
        (
            response.IsSuccessStatusCode,
            (int)response.StatusCode,
            await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false)
        );

    private WorkerException NoAnswer(HttpRequestException e)
    {
        var reason =
            e.InnerException is SocketException socket ? socket.Message
            : e.InnerException is System.Security.Authentication.AuthenticationException tls ? tls.Message
            : e.Message;
        return new WorkerException(
            $"no worker answers at {Place}: {reason.TrimEnd('.')}; is 'pipeline run' running there?",
            ExitCodes.Failed,
            e
        );
    }

    /// <summary>The body of an answer.</summary>
    /// <exception cref="WorkerException">The worker refused the request; says what the worker said.</exception>
    public string Check(string path, (bool Ok, int Status, string Body) answer)
    {
        if (answer.Ok)
            return answer.Body;
        var (said, hasFaults) = AnswerError.Read(answer.Body);
        throw new WorkerException(
            said ?? $"{Place} answered {answer.Status} to {path}; is it a pipeline worker of this version?",
            hasFaults ? ExitCodes.Usage : ExitCodes.Failed
        );
    }
}
