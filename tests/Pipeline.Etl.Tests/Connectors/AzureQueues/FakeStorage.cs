using System.Collections.Concurrent;
using System.Net;
using System.Text;
using System.Text.Json;
using Azure.Core;
using Azure.Core.Pipeline;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;

namespace Pipeline.Etl.Tests.Connectors.AzureQueues;

/// <summary>A storage account that takes everything and remembers it.</summary>
internal sealed class FakeStorage : HttpMessageHandler
{
    public const string Account =
        "AccountName=shop;AccountKey=c2VjcmV0IGtleQ==;QueueEndpoint=http://queues.example/shop;BlobEndpoint=http://shop.blobs.example";

    private const string MessageTaken =
        "<QueueMessagesList><QueueMessage><MessageId>1</MessageId><InsertionTime>Fri, 09 Oct 2026 21:04:30 GMT</InsertionTime><ExpirationTime>Fri, 16 Oct 2026 21:04:30 GMT</ExpirationTime>"
        + "<PopReceipt>r</PopReceipt><TimeNextVisible>Fri, 09 Oct 2026 21:04:30 GMT</TimeNextVisible></QueueMessage></QueueMessagesList>";

    public ConcurrentQueue<(string Line, string Authorization, string Body)> Requests { get; } = [];

    /// <summary>Returns a special answer to the n-th request, from 1, or null for the usual one.</summary>
    public Func<int, HttpResponseMessage?> Answer { get; init; } = _ => null;

    /// <summary>A catalogue whose Azure queues are served by this fake.</summary>
    public ConnectorCatalog Catalog => new([new Definition(this)]);

    public string[] Lines => [.. Requests.Select(r => r.Line)];

    /// <summary>The messages of a queue, as JSON.</summary>
    public JsonElement[] Messages(string queue = "out") =>
        [
            .. Requests
                .Where(r =>
                    r.Line.StartsWith($"POST http://queues.example/shop/{queue}/messages", StringComparison.Ordinal)
                )
                .Select(r => Event(r.Body)),
        ];

    public HttpPipelineTransport Transport() => new HttpClientTransport(new HttpClient(this, disposeHandler: false));

    public AzureQueuesConnector Connector(
        AzureQueuesOptions options,
        ConnectorContext context,
        TokenCredential? credential = null
    ) => new(options, context) { Client = new AzureQueueClient(context.Connection, options, credential, Transport()) };

    /// <summary>What the service answers to a request that it takes.</summary>
    public static HttpResponseMessage Taken(HttpRequestMessage request)
    {
        var isMessage = request.Method == HttpMethod.Post;
        var xml =
            isMessage ? MessageTaken
            : request.Method == HttpMethod.Get ? "<EnumerationResults><Queues/><NextMarker/></EnumerationResults>"
            : "";
        var answer = new HttpResponseMessage(
            request.Method == HttpMethod.Get ? HttpStatusCode.OK : HttpStatusCode.Created
        )
        {
            Content = new StringContent(xml, Encoding.UTF8, "application/xml"),
        };
        if (request.Method == HttpMethod.Put)
            answer.Headers.ETag = new System.Net.Http.Headers.EntityTagHeaderValue("\"1\"");
        if (request.Method == HttpMethod.Put)
            answer.Content.Headers.LastModified = DateTimeOffset.UnixEpoch;
        return answer;
    }

    /// <summary>What the service answers to a request that it does not take.</summary>
    public static HttpResponseMessage Refused(HttpStatusCode status, string code = "", string words = "")
    {
        var answer = new HttpResponseMessage(status)
        {
            Content = new StringContent(
                $"<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{words}</Message></Error>",
                Encoding.UTF8,
                "application/xml"
            ),
        };
        if (code.Length > 0)
            answer.Headers.Add("x-ms-error-code", code);
        return answer;
    }

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        var body = request.Content is null ? "" : await request.Content.ReadAsStringAsync(cancellationToken);
        int count;
        lock (Requests)
        {
            Requests.Enqueue(
                (
                    $"{request.Method} {request.RequestUri!.AbsoluteUri}",
                    request.Headers.TryGetValues("Authorization", out var values) ? values.Single() : "",
                    body
                )
            );
            count = Requests.Count;
        }

        return Answer(count) ?? Taken(request);
    }

    private static JsonElement Event(string xml)
    {
        var (start, end) = (
            xml.IndexOf("<MessageText>", StringComparison.Ordinal) + 13,
            xml.IndexOf("</MessageText>", StringComparison.Ordinal)
        );
        return JsonDocument.Parse(Encoding.UTF8.GetString(Convert.FromBase64String(xml[start..end]))).RootElement;
    }

    private sealed class Definition(FakeStorage storage) : ConnectorDefinition<AzureQueuesOptions>
    {
        private readonly AzureQueuesDefinition _real = new();

        public override string Kind => _real.Kind;

        public override string Summary => _real.Summary;

        public override IReadOnlyCollection<string> DestinationOptions(object options) =>
            _real.DestinationOptions(options);

        public override IEnumerable<(string Key, string Message)> ValidateDestination(
            DestinationConfiguration destination
        ) => _real.ValidateDestination(destination);

        protected override IConnector Create(AzureQueuesOptions options, ConnectorContext context) =>
            storage.Connector(options, context);
    }
}
