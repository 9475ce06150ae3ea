using System.Net;
using System.Text;
using System.Text.Json;
using System.Xml.Linq;
using Pipeline.Database;

namespace Consumers;

/// <summary>Reads an Azure storage queue and handles each message once. It needs no package: where Azure.Storage.Queues is used instead, the order of steps is the same.</summary>
public static class AzureQueueConsumer
{
    private const string Version = "2021-12-02";

    /// <summary>Reads until it is cancelled.</summary>
    /// <param name="queue">The queue's address with a shared access signature that may process: https://account.queue.core.windows.net/queue?sv=….</param>
    /// <param name="inbox">Remembers what was handled.</param>
    /// <param name="effect">What to do with a message.</param>
    /// <param name="visibility">How long others do not see a message that was received: longer than 32 effects take.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task RunAsync(Uri queue, MessageInbox inbox, Action<DocumentTransaction, ReceivedMessage> effect, TimeSpan visibility, CancellationToken cancellationToken)
    {
        using var http = new HttpClient();
        http.DefaultRequestHeaders.Add("x-ms-version", Version);
        var (place, signature) = (queue.GetLeftPart(UriPartial.Path), queue.Query.TrimStart('?'));
        try
        {
            while (true)
            {
                string text = await http.GetStringAsync(new Uri($"{place}/messages?numofmessages=32&visibilitytimeout={visibility.TotalSeconds:0}&{signature}"), cancellationToken);
                XElement[] messages = [.. XDocument.Parse(text.TrimStart('\uFEFF')).Root!.Elements("QueueMessage")];
                foreach (XElement message in messages)
                {
                    await inbox.HandleAsync(ToMessage(message.Element("MessageText")!.Value), effect, cancellationToken);

                    // After the effect is durable: a message that is not deleted comes again, and the inbox drops it.
                    string id = message.Element("MessageId")!.Value, receipt = Uri.EscapeDataString(message.Element("PopReceipt")!.Value);
                    using HttpResponseMessage deleted = await http.DeleteAsync(new Uri($"{place}/messages/{id}?popreceipt={receipt}&{signature}"), cancellationToken);
                    if (deleted.StatusCode != HttpStatusCode.NotFound) deleted.EnsureSuccessStatusCode();
                }

                if (messages.Length == 0) await Task.Delay(TimeSpan.FromMilliseconds(200), cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Its orderly end.
        }
    }

    /// <summary>The message of a queue message's text, which is a CloudEvent, as Base64 or as it is; source and id are always in it.</summary>
    public static ReceivedMessage ToMessage(string text)
    {
        string json = text.StartsWith('{') ? text : Encoding.UTF8.GetString(Convert.FromBase64String(text));
        JsonElement message = JsonDocument.Parse(json).RootElement;
        return new ReceivedMessage(
            message.GetProperty("source").GetString()!, message.GetProperty("id").GetString()!, message.GetProperty("type").GetString()!, message.GetProperty("subject").GetString()!,
            message.TryGetProperty("data", out JsonElement data) ? data : default);
    }
}
