using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>Reads queues with pika, RabbitMQ's client for Python.</summary>
internal static class RabbitMqReader
{
    private const string Script = """
        import json, sys, pika
        connection = pika.BlockingConnection(pika.URLParameters(sys.argv[1] + '%2F'))
        channel = connection.channel()
        left = channel.queue_declare(sys.argv[2], passive=True).method.message_count
        messages = channel.consume(sys.argv[2], auto_ack=True, inactivity_timeout=30) if left else []
        for method, properties, body in messages:
            if method is None:
                sys.exit(f'{left} messages of the queue did not come')
            print(json.dumps({'id': properties.message_id, 'mode': properties.delivery_mode, 'type': properties.content_type,
                              'headers': properties.headers, 'body': body.decode('utf-8')}))
            left -= 1
            if left == 0:
                break
        connection.close()
        """;

    /// <summary>The system's Python, which has Debian's packages.</summary>
    public static string Require() =>
        LocalInstallation.FindProgram("python3", "/usr/bin") is { } python
        && Directory.Exists("/usr/lib/python3/dist-packages/pika")
            ? python
            : throw Missing.Program("pika", "python3-pika");

    public static async Task<List<Received>> ReadAllAsync(string python, string endpoint, string queue)
    {
        var output = await Tool.RunAsync(python, ["-c", Script, endpoint, queue]);
        return Tool.ParseLines(output)
            .ConvertAll(message =>
            {
                var attributes = message
                    .GetProperty("headers")
                    .EnumerateObject()
                    .Where(h => h.Value.ValueKind == JsonValueKind.String)
                    .ToDictionary(
                        h =>
                            h.Name.StartsWith("cloudEvents:", StringComparison.Ordinal)
                                ? h.Name[12..]
                                : "not CloudEvents: " + h.Name,
                        h => h.Value.GetString()!
                    );
                attributes["datacontenttype"] = message.GetProperty("type").GetString()!;
                if (message.GetProperty("mode").GetInt32() != 2)
                    throw new InvalidOperationException($"{attributes["id"]} is not persistent");
                if (message.GetProperty("id").GetString() != attributes["id"])
                    throw new InvalidOperationException($"{attributes["id"]} has another message id");
                return new Received(queue, null, JsonNode.Parse(message.GetProperty("body").GetString()!)!, attributes);
            });
    }
}
