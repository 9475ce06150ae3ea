using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>Reads topics with kcat: another client, and the system's own librdkafka.</summary>
internal static class KafkaReader
{
    public static string Require() => LocalInstallation.FindProgram("kcat") ?? throw Missing.Program("kcat", "kcat");

    /// <summary>The records as kcat writes them, with their partitions.</summary>
    public static async Task<List<JsonElement>> ReadRecordsAsync(string kcat, string endpoint, string topic) =>
        Tool.ParseLines(
            await Tool.RunAsync(
                kcat,
                [
                    "-C",
                    "-b",
                    endpoint,
                    "-t",
                    topic,
                    "-o",
                    "beginning",
                    "-e",
                    "-q",
                    "-J",
                    "-X",
                    "isolation.level=read_committed",
                ]
            )
        );

    public static async Task<List<Received>> ReadAllAsync(string kcat, string endpoint, string topic)
    {
        return (await ReadRecordsAsync(kcat, endpoint, topic)).ConvertAll(record =>
        {
            var headers = record.GetProperty("headers").EnumerateArray().Select(h => h.GetString()!).ToArray();
            var attributes = Enumerable
                .Range(0, headers.Length / 2)
                .ToDictionary(i => Name(headers[2 * i]), i => headers[(2 * i) + 1]);
            return new Received(
                topic,
                record.GetProperty("key").GetString(),
                JsonNode.Parse(record.GetProperty("payload").GetString()!)!,
                attributes
            );
        });
    }

    private static string Name(string header) =>
        header == "content-type" ? "datacontenttype"
        : header.StartsWith("ce_", StringComparison.Ordinal) ? header[3..]
        : "not CloudEvents: " + header;
}
