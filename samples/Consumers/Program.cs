using System.Globalization;
using System.Text;
using Azure.Storage.Queues;
using Consumers;
using Pipeline.Documents;
using Pipeline.Etl.Connectors.Kafka;

// Counts the messages of each subject, once each however often they come: dotnet run kafka 127.0.0.1:9092 orders
if (args.Length < 3)
{
    Console.Error.WriteLine("usage: kafka SERVERS TOPIC | rabbitmq URI QUEUE | azure-queue CONNECTION-STRING QUEUE");
    return 2;
}

using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    stop.Cancel();
};
await using var inbox = MessageInbox.Open(Path.Combine("data", args[0]));
switch (args[0])
{
    case "kafka":
        await KafkaConsumer.RunAsync(args[1], args[2], "consumers-sample", inbox, Count, stop.Token);
        break;
    case "rabbitmq":
        await RabbitMqConsumer.RunAsync(new Uri(args[1]), args[2], inbox, Count, stop.Token);
        break;
    case "azure-queue":
        var queue = new QueueClient(
            args[1],
            args[2],
            new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 }
        );
        await AzureQueueConsumer.RunAsync(queue, inbox, Count, TimeSpan.FromMinutes(1), stop.Token);
        break;
    default:
        Console.Error.WriteLine($"'{args[0]}' is none of kafka, rabbitmq, azure-queue");
        return 2;
}

return 0;

static void Count(DocumentTransaction transaction, ReceivedMessage message)
{
    var id = "counts/" + message.Subject;
    var count = transaction.TryGet(id, out var known) && known.Body.Root["Count"].TryGetInt64(out var n) ? (int)n : 0;
    var body = string.Create(
        CultureInfo.InvariantCulture,
        $$$"""{"Count":{{{count + 1}}},"@metadata":{"@collection":"Counts"}}"""
    );
    transaction.Put(id, Encoding.UTF8.GetBytes(body));
    Console.WriteLine($"{message.Subject}: {count + 1}");
}
