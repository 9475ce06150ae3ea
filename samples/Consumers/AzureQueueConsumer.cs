using System.Text.Json;
using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Pipeline.Documents;

namespace Consumers;

/// <summary>Reads an Azure storage queue and handles each message once.</summary>
public static class AzureQueueConsumer
{
    /// <summary>Reads until it is cancelled.</summary>
    /// <param name="queue">
    /// The queue. Its <see cref="QueueClientOptions.MessageEncoding"/> is that of the connection in pipeline.yaml,
    /// where Base64 is the default.
    /// </param>
    /// <param name="inbox">Remembers the handled messages.</param>
    /// <param name="effect">What to do with a message.</param>
    /// <param name="visibility">
    /// How long a received message is hidden from other consumers. It must exceed the time that 32 effects take.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task RunAsync(
        QueueClient queue,
        MessageInbox inbox,
        Action<DocumentTransaction, ReceivedMessage> effect,
        TimeSpan visibility,
        CancellationToken cancellationToken
    )
    {
        try
        {
            while (true)
            {
                QueueMessage[] messages = await queue.ReceiveMessagesAsync(
                    maxMessages: 32,
                    visibility,
                    cancellationToken
                );
                foreach (var message in messages)
                {
                    await inbox.HandleAsync(ToMessage(message.Body), effect, cancellationToken);

                    // After the effect is durable: a message that is not deleted comes again, and the inbox drops it.
                    try
                    {
                        await queue.DeleteMessageAsync(message.MessageId, message.PopReceipt, cancellationToken);
                    }
                    catch (RequestFailedException e) when (e.Status == 404)
                    {
                        Console.Error.WriteLine(
                            $"{message.MessageId} was visible again before it was deleted; it comes once more and is dropped"
                        );
                    }
                }

                if (messages.Length == 0)
                    await Task.Delay(TimeSpan.FromMilliseconds(200), cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Its orderly end.
        }
    }

    /// <summary>The message of a queue message's body, which is a CloudEvent; source and id are always in it.</summary>
    public static ReceivedMessage ToMessage(BinaryData body)
    {
        var message = body.ToObjectFromJson<JsonElement>();
        return new ReceivedMessage(
            message.GetProperty("source").GetString()!,
            message.GetProperty("id").GetString()!,
            message.GetProperty("type").GetString()!,
            message.GetProperty("subject").GetString()!,
            message.TryGetProperty("data", out var data) ? data : default
        );
    }
}
