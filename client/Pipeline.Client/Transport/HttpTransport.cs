using System.Buffers;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>Reaches a database over HTTP.</summary>
internal sealed partial class HttpTransport : IDocumentTransport
{
    private readonly HttpClient _client;
    private readonly bool _isOwn;
    private readonly string _name,
        _database;
    private readonly CancellationTokenSource _closed = new();
    private long _lastWritten;

    // Deletions and bulk inserts report no position. After one, queries wait for all that the server has stored.
    private volatile bool _hasUnknownWrites;

    public HttpTransport(string url, string database, HttpClient? client)
    {
        if (
            !Uri.TryCreate(url.TrimEnd('/') + "/", UriKind.Absolute, out var address)
            || address.Scheme is not ("http" or "https")
        )
        {
            throw new ArgumentException(
                $"'{url}' is not the address of a server; write for example http://127.0.0.1:8080",
                nameof(url)
            );
        }

        (_client, _isOwn, _name) = (client ?? new HttpClient(), client is null, database);
        _database = new Uri(address, "databases/" + Uri.EscapeDataString(database)).AbsoluteUri;
    }

    public async ValueTask<DocumentData?> LoadAsync(string id, CancellationToken cancellationToken) =>
        await LoadAsync([id], [], cancellationToken).ConfigureAwait(false) is [var data, ..] ? data : null;

    public async ValueTask<IReadOnlyList<DocumentData>> LoadAsync(
        IReadOnlyList<string> ids,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    )
    {
        var path =
            "/docs"
            + string.Concat(includes.Select((p, i) => (i == 0 ? "?include=" : "&include=") + Uri.EscapeDataString(p)));
        var answer = await SendAsync(HttpMethod.Post, path, IdsBody(ids), null, isFound: false, cancellationToken)
            .ConfigureAwait(false);
        if (answer.IsEmpty)
            return [];
        var (results, included, _) = AnswerReader.Documents(answer);
        return [.. results, .. included];
    }

    public async ValueTask<SaveAnswer> SaveAsync(
        IReadOnlyList<SaveCommand> commands,
        IReadOnlyList<SaveAction> actions,
        CancellationToken cancellationToken
    )
    {
        var body = Body(json =>
        {
            json.WriteStartArray("Commands"u8);
            foreach (var command in commands)
            {
                json.WriteStartObject();
                json.WriteString("Id"u8, command.Id);
                json.WriteString("ChangeVector"u8, command.ExpectedChangeVector);
                json.WriteString("Type"u8, command.Json is null ? "DELETE" : "PUT");
                if (command.Json is { } document)
                {
                    json.WritePropertyName("Document"u8);
                    json.WriteRawValue(document.Span, skipInputValidation: true);
                }

                json.WriteEndObject();
            }

            foreach (var action in actions)
                ActionBody.Write(json, action);
            json.WriteEndArray();
        });
        var answer =
            actions.Count == 0
                ? await SendAsync(HttpMethod.Post, "/bulk_docs", body, null, isFound: true, cancellationToken)
                    .ConfigureAwait(false)
                : await SendActionsAsync(body, actions, cancellationToken).ConfigureAwait(false);
        var (saved, done) = AnswerReader.Saved(answer.Span, commands.Count);
        _hasUnknownWrites |= commands.Any(c => c.Json is null) || actions.Any(a => a is PatchAction { IsFree: true });
        foreach (var document in saved)
            Note(document.ChangeVector);
        foreach (var result in done)
            Note(result.ChangeVector);
        return new SaveAnswer(saved, done);
    }

    public async ValueTask<QueryReply> QueryAsync(RqlQuery query, CancellationToken cancellationToken)
    {
        var answer = await SendAsync(
                HttpMethod.Post,
                "/queries",
                Body(query),
                query.Text,
                isFound: true,
                cancellationToken
            )
            .ConfigureAwait(false);
        var (results, includes, statistics) = AnswerReader.Documents(answer);
        return new QueryReply(results, includes, statistics);
    }

    public async IAsyncEnumerable<DocumentData> StreamAsync(
        RqlQuery query,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        using var request = Request(HttpMethod.Post, "/streams/queries?format=jsonl", Body(query));
        using var response = await ReachAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken)
            .ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
            throw await HttpErrors.ReadAsync(response, query.Text, cancellationToken).ConfigureAwait(false);
        using var reader = new StreamReader(
            await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false),
            Encoding.UTF8
        );
        while (await NextLineAsync(reader, request.RequestUri!, cancellationToken).ConfigureAwait(false) is { } line)
        {
            if (line.Length == 0)
                continue;
            using var part = JsonDocument.Parse(line);
            if (part.RootElement.TryGetProperty("Item", out var item))
                yield return DocumentData.Parse(Encoding.UTF8.GetBytes(item.GetRawText()));
            else if (AnswerReader.Text(part.RootElement, "Error") is { } error)
                throw new QueryException(error, query.Text);
        }
    }

    public async ValueTask PutIndexAsync(IndexText index, CancellationToken cancellationToken)
    {
        try
        {
            await SendAsync(
                    HttpMethod.Put,
                    "/admin/indexes",
                    IndexBody.Of(index),
                    null,
                    isFound: true,
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        catch (ServerException e) when (e.Status is >= 400 and < 500)
        {
            throw new IndexException(e.Message, index.Name, e);
        }
    }

    public async ValueTask<IdRange> NextRangeAsync(string tag, long lastSize, CancellationToken cancellationToken)
    {
        var answer = await GetAsync(
                $"/hilo/next?tag={Uri.EscapeDataString(tag)}&lastBatchSize={lastSize}",
                cancellationToken
            )
            .ConfigureAwait(false);
        using var json = JsonDocument.Parse(answer);
        var root = json.RootElement;
        return new IdRange(
            root.GetProperty("Prefix").GetString()!,
            root.GetProperty("Low").GetInt64(),
            root.GetProperty("High").GetInt64(),
            "-" + AnswerReader.Text(root, "ServerTag")
        );
    }

    public async ValueTask DisposeAsync()
    {
        await _closed.CancelAsync().ConfigureAwait(false);
        if (_isOwn)
            _client.Dispose();
    }

    private static async ValueTask<string?> NextLineAsync(
        StreamReader reader,
        Uri address,
        CancellationToken cancellationToken
    )
    {
        try
        {
            return await reader.ReadLineAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or HttpRequestException)
        {
            throw new ServerException(
                $"{address.GetLeftPart(UriPartial.Authority)} closed the stream of results early: {e.Message}",
                0,
                e
            );
        }
    }

    private static byte[] Body(Action<Utf8JsonWriter> write)
    {
        var target = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(target))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        return target.WrittenSpan.ToArray();
    }

    private byte[] Body(RqlQuery query) =>
        Body(json =>
        {
            json.WriteString("Query"u8, query.Text);
            json.WritePropertyName("QueryParameters"u8);
            json.WriteRawValue(query.Parameters.Span, skipInputValidation: true);
            if (query.Skip > 0)
                json.WriteNumber("Start"u8, query.Skip);
            if (query.Take < int.MaxValue)
                json.WriteNumber("PageSize"u8, query.Take);
            if (query.Wait <= TimeSpan.Zero)
                return;
            if (query.WaitsForAll || _hasUnknownWrites)
                json.WriteBoolean("WaitForNonStaleResults"u8, true);
            else if (Interlocked.Read(ref _lastWritten) is > 0 and var position)
                json.WriteNumber("WaitFor"u8, position);
            json.WriteString("WaitForNonStaleResultsTimeout"u8, query.Wait.ToString("c"));
        });

    private ValueTask<ReadOnlyMemory<byte>> GetAsync(string path, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Get, path, null, null, isFound: true, cancellationToken);

    private async ValueTask<ReadOnlyMemory<byte>> SendAsync(
        HttpMethod method,
        string path,
        byte[]? body,
        string? query,
        bool isFound,
        CancellationToken cancellationToken
    )
    {
        using var request = Request(method, path, body);
        using var response = await ReachAsync(request, HttpCompletionOption.ResponseContentRead, cancellationToken)
            .ConfigureAwait(false);
        if (response.StatusCode == HttpStatusCode.NotFound && !isFound)
            return default;
        if (!response.IsSuccessStatusCode)
            throw await HttpErrors.ReadAsync(response, query, cancellationToken).ConfigureAwait(false);
        return await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
    }

    private HttpRequestMessage Request(HttpMethod method, string path, byte[]? body)
    {
        var request = new HttpRequestMessage(method, _database + path);
        if (body is not null)
        {
            request.Content = new ByteArrayContent(body)
            {
                Headers = { ContentType = new MediaTypeHeaderValue("application/json") },
            };
        }

        return request;
    }

    private async ValueTask<HttpResponseMessage> ReachAsync(
        HttpRequestMessage request,
        HttpCompletionOption completion,
        CancellationToken cancellationToken
    )
    {
        try
        {
            return await _client.SendAsync(request, completion, cancellationToken).ConfigureAwait(false);
        }
        // .NET throws a bare SocketException when a new connection is reset at once.
        catch (Exception e)
            when (e
                    is HttpRequestException
                        or SocketException
                        or OperationCanceledException { InnerException: TimeoutException }
                && !cancellationToken.IsCancellationRequested
            )
        {
            throw new ServerException(
                $"{request.RequestUri!.GetLeftPart(UriPartial.Authority)} does not answer: {e.Message}",
                0,
                e
            );
        }
    }

    /// <summary>Remembers the position of a write, so that queries of this store wait for it.</summary>
    private void Note(string? changeVector)
    {
        var start = changeVector?.IndexOf(':', StringComparison.Ordinal) ?? -1;
        var end = start < 0 ? -1 : changeVector!.IndexOf('-', start);
        if (end < 0 || !long.TryParse(changeVector.AsSpan(start + 1, end - start - 1), out var position))
            return;
        for (var seen = Interlocked.Read(ref _lastWritten); position > seen; seen = Interlocked.Read(ref _lastWritten))
            Interlocked.CompareExchange(ref _lastWritten, position, seen);
    }
}
