using Pipeline.Configuration;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Configuration;

/// <summary>
/// A destination that its target can never accept is a fault at lint. At run time each of its messages would become a
/// dead letter.
/// </summary>
public sealed class DestinationNameTests
{
    private const string Kafka = "kafka: { bootstrapServers: 'localhost:9092' }";
    private const string Queues = "azureQueues: { connectionString: UseDevelopmentStorage=true }";
    private const string Files = "files: { directory: ./out }";
    private const string Rabbit = "rabbitmq: { uri: 'amqp://localhost' }";
    private const string Exchange = "rabbitmq: { uri: 'amqp://localhost', exchange: e }";

    [Theory]
    [InlineData(
        Kafka,
        "big orders!",
        "'big orders!' is not a topic's name: only ASCII letters, digits, '.', '_' and '-' are allowed"
    )]
    [InlineData(Kafka, "..", "'..' is not a topic's name")]
    [InlineData(
        Queues,
        "Orders",
        "'Orders' is not a queue's name: 3 to 63 lower-case letters, digits and single hyphens, beginning and ending with a letter or digit"
    )]
    [InlineData(
        Files,
        "../orders",
        "'../orders' is not a file name: use at most 200 letters, digits, '-', '_' and '.'; the first must not be '.'"
    )]
    [InlineData(Rabbit, "amq.orders", "queue 'amq.orders': names that begin with amq. are the broker's own")]
    [InlineData(Kafka, "big-orders", null)]
    [InlineData(Queues, "orders", null)]
    [InlineData(Files, "Orders", null)]
    [InlineData(Rabbit, "big orders!", null)]
    [InlineData(Exchange, "amq.orders", null)]
    public void Names_are_checked_in_the_script_and_under_destinations(
        string connection,
        string destination,
        string? fault
    )
    {
        using var folder = new TestFolder();
        var kind = connection[..connection.IndexOf(':', StringComparison.Ordinal)];
        var file = folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: a, path: ./data }
            connections: { c: { {{connection}} } }
            etl:
              - name: t
                from: [Orders]
                to: c
                destinations: { '{{destination}}': { headers: { a: b } } }
                transform: |
                  // send("none of the script's", doc)
                  var name = "not / checked";
                  if (doc.Total > 5)
                    send("{{destination}}", doc);
                  send(name, doc);
            """
        );
        string[] expected = fault is null
            ? []
            :
            [
                $"{file}:8:21: connection 'c' ({kind}) never takes messages for '{destination}': {fault}",
                $"{file}:13:14: transform of 't': connection 'c' ({kind}) never takes messages for '{destination}': {fault}",
            ];
        Assert.Equal(expected, PipelineConfiguration.Lint(file, FixedVariables.None).Select(d => d.ToString()));
    }
}
