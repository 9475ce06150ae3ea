using System.Globalization;
using System.Net;
using System.Text.Json;

namespace Pipeline.Client.Transport;

internal sealed partial class HttpTransport
{
    public async ValueTask<FetchAnswer> FetchAsync(FetchRequest request, CancellationToken cancellationToken)
    {
        if (request.Queries.Count == 0)
            return new FetchAnswer(await LoadAsync(request.Ids, [], cancellationToken).ConfigureAwait(false), []);
        var root = "/databases/" + _name;
        var answer = await SendAsync(
                HttpMethod.Post,
                "/multi_get",
                Body(json =>
                {
                    json.WriteStartArray("Requests"u8);
                    if (request.Ids.Count > 0)
                        Inner(json, root + "/docs", IdsBody(request.Ids));
                    foreach (var query in request.Queries)
                        Inner(json, root + "/queries", Body(query));
                    json.WriteEndArray();
                }),
                null,
                isFound: true,
                cancellationToken
            )
            .ConfigureAwait(false);
        using var parsed = JsonDocument.Parse(answer);
        List<JsonElement> results = [.. parsed.RootElement.GetProperty("Results").EnumerateArray()];
        List<DocumentData> documents = [];
        if (request.Ids.Count > 0)
        {
            var (answered, error) = Read(results[0], "");
            documents = error is null ? [.. answered?.Items ?? []] : throw error;
            results.RemoveAt(0);
        }

        return new FetchAnswer(documents, [.. results.Select((r, i) => Read(r, request.Queries[i].Text))]);
    }

    public async ValueTask<AttachmentData?> OpenAttachmentAsync(
        string id,
        string name,
        CancellationToken cancellationToken
    )
    {
        using var request = Request(
            HttpMethod.Get,
            $"/attachments?id={Uri.EscapeDataString(id)}&name={Uri.EscapeDataString(name)}",
            null
        );
        var response = await ReachAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken)
            .ConfigureAwait(false);
        try
        {
            if (response.StatusCode == HttpStatusCode.NotFound)
            {
                response.Dispose();
                return null;
            }

            if (!response.IsSuccessStatusCode)
                throw await HttpErrors.ReadAsync(response, null, cancellationToken).ConfigureAwait(false);
            var shown = response.Content.Headers.ContentDisposition is { } disposition
                ? disposition.FileNameStar ?? disposition.FileName?.Trim('"')
                : null;
            var info = new AttachmentInfo(
                shown ?? name,
                response.Content.Headers.ContentType?.ToString() ?? "",
                Header(response, "Attachment-Hash"),
                long.Parse(Header(response, "Attachment-Size"), CultureInfo.InvariantCulture)
            );
            return new AttachmentData(
                info,
                await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false),
                response
            );
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    public async ValueTask<IReadOnlyList<AttachmentInfo>> ListAttachmentsAsync(
        string id,
        CancellationToken cancellationToken
    )
    {
        var answer = await SendAsync(
                HttpMethod.Post,
                "/docs?metadataOnly=true",
                IdsBody([id]),
                null,
                isFound: false,
                cancellationToken
            )
            .ConfigureAwait(false);
        if (answer.IsEmpty || AnswerReader.Documents(answer).Results is not [var document, ..])
            return [];
        using var metadata = JsonDocument.Parse(document.Metadata);
        return metadata.RootElement.TryGetProperty("@attachments", out var attachments)
            ?
            [
                .. attachments
                    .EnumerateArray()
                    .Select(a => new AttachmentInfo(
                        AnswerReader.Text(a, "Name")!,
                        AnswerReader.Text(a, "ContentType") is { Length: > 0 } type ? type : "application/octet-stream",
                        AnswerReader.Text(a, "Hash")!,
                        a.GetProperty("Size").GetInt64()
                    )),
            ]
            : [];
    }

    public async ValueTask<IReadOnlyList<RevisionData>> RevisionsAsync(
        RevisionRequest request,
        CancellationToken cancellationToken
    )
    {
        var path = request.ChangeVector is { } vector
            ? $"/revisions?changeVector={Uri.EscapeDataString(vector)}"
            : $"/revisions?id={Uri.EscapeDataString(request.Id!)}"
                + (
                    request.Time is { } time
                        ? $"&before={Uri.EscapeDataString(time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture))}"
                        : string.Create(CultureInfo.InvariantCulture, $"&start={request.Skip}&pageSize={request.Take}")
                );
        var answer = await SendAsync(HttpMethod.Get, path, null, null, isFound: false, cancellationToken)
            .ConfigureAwait(false);
        return answer.IsEmpty
            ? []
            : [.. AnswerReader.Documents(answer).Results.Select(d => new RevisionData(d, IsDeletion(d)))];
    }

    public async ValueTask<CompareExchangeData?> CompareExchangeAsync(string key, CancellationToken cancellationToken)
    {
        var answer = await SendAsync(
                HttpMethod.Get,
                $"/cmpxchg?key={Uri.EscapeDataString(key)}",
                null,
                null,
                isFound: false,
                cancellationToken
            )
            .ConfigureAwait(false);
        return !answer.IsEmpty && Values(answer) is [var value, ..] ? value : null;
    }

    public async ValueTask<IReadOnlyList<CompareExchangeData>> ListCompareExchangeAsync(
        string prefix,
        int skip,
        int take,
        CancellationToken cancellationToken
    ) =>
        Values(
            await GetAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"/cmpxchg?startsWith={Uri.EscapeDataString(prefix)}&start={skip}&pageSize={take}"
                    ),
                    cancellationToken
                )
                .ConfigureAwait(false)
        );

    private static byte[] IdsBody(IReadOnlyList<string> ids) =>
        Body(json =>
        {
            json.WriteStartArray("Ids"u8);
            foreach (var id in ids)
                json.WriteStringValue(id);
            json.WriteEndArray();
        });

    private static void Inner(Utf8JsonWriter json, string url, byte[] body)
    {
        json.WriteStartObject();
        json.WriteString("Url"u8, url);
        json.WriteString("Method"u8, "POST"u8);
        json.WritePropertyName("Content"u8);
        json.WriteRawValue(body, skipInputValidation: true);
        json.WriteEndObject();
    }

    /// <summary>The answer to one of several requests.</summary>
    private static (QueryReply? Answer, Exception? Error) Read(JsonElement result, string query)
    {
        var (status, body) = (result.GetProperty("StatusCode").GetInt32(), result.GetProperty("Result"));
        if (status < 300 && body.ValueKind == JsonValueKind.Object)
        {
            var (items, includes, statistics) = AnswerReader.Documents(
                System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(body).ToArray()
            );
            return (new QueryReply(items, includes, statistics), null);
        }

        if (status == (int)HttpStatusCode.NotFound && query.Length == 0)
            return default;
        var message = body.ValueKind == JsonValueKind.Object ? AnswerReader.Text(body, "Message") : null;
        var type = body.ValueKind == JsonValueKind.Object ? AnswerReader.Text(body, "Type") : null;
        message ??= $"the server answered with status {status}";
        return (
            null,
            type?.Contains("InvalidQuery", StringComparison.Ordinal) == true
                ? new QueryException(message, query)
                : new ServerException(message, status)
        );
    }

    private static bool IsDeletion(DocumentData version)
    {
        using var metadata = JsonDocument.Parse(version.Metadata);
        return AnswerReader.Text(metadata.RootElement, "@flags")?.Contains("DeleteRevision", StringComparison.Ordinal)
            == true;
    }

    private static List<CompareExchangeData> Values(ReadOnlyMemory<byte> answer)
    {
        using var json = JsonDocument.Parse(answer);
        return
        [
            .. json
                .RootElement.GetProperty("Results")
                .EnumerateArray()
                .Select(v => new CompareExchangeData(
                    AnswerReader.Text(v, "Key")!,
                    v.GetProperty("Index").GetInt64(),
                    System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(v.GetProperty("Value")).ToArray()
                )),
        ];
    }

    private static string Header(HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues(name, out var values)
            ? values.First()
            : throw new ServerException($"the server's answer has no header '{name}'", (int)response.StatusCode);
}
