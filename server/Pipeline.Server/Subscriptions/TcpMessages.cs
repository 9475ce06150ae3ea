using System.Buffers;
using System.Text.Json;
using Pipeline.Server.Cluster;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Subscriptions;

/// <summary>Messages that the server sends over a subscription's connection.</summary>
internal static class TcpMessages
{
    /// <summary>
    /// White space between objects: shows that the server is alive, and detects whether the client is.
    /// </summary>
    public static ReadOnlyMemory<byte> Heartbeat { get; } = "\r\n"u8.ToArray();

    /// <summary>The answer to a header.</summary>
    public static byte[] Negotiation(string status, int version, string? message) =>
        Write(json =>
        {
            json.WriteString("Status", status);
            json.WriteNumber("Version", version);
            if (message is not null)
                json.WriteString("Message", message);
            json.WriteStartObject("LicensedFeatures");
            json.WriteBoolean("DataCompression", false);
            json.WriteEndObject();
        });

    /// <summary>Tells the worker that it has the subscription.</summary>
    public static byte[] Accepted { get; } =
        Write(json =>
        {
            json.WriteString("Type", "ConnectionStatus");
            json.WriteString("Status", "Accepted");
            json.WriteNull("Data");
        });

    /// <summary>Tells the worker that it does not have the subscription, or no longer.</summary>
    public static byte[] Status(SubscriptionException error) =>
        Write(json =>
        {
            json.WriteString("Type", "ConnectionStatus");
            json.WriteString("Status", StatusOf(error.Problem));
            WriteError(json, error.Message);
            json.WriteStartObject("Data");
            json.WriteBoolean("CanReconnect", error.CanReconnect);
            json.WriteEndObject();
        });

    /// <summary>
    /// Tells the worker that another node has the subscription. Without this, clients report an unexpected end and ask
    /// this node again.
    /// </summary>
    /// <remarks>
    /// A client gives up if the node is not in its topology, so only a known one is named; without a name it asks for
    /// the topology. The Node.js client reads the names in lower case.
    /// </remarks>
    public static byte[] Redirect(IServerCluster cluster) =>
        Write(json =>
        {
            var (self, next) = (cluster.Self.Name, cluster.Leader?.Name);
            if (next == self || cluster.Nodes.All(n => n.Name != next))
                next = null;
            json.WriteString("Type", "ConnectionStatus");
            json.WriteString("Status", "Redirect");
            WriteError(
                json,
                $"The node '{self}' does not lead the cluster; {(next is null ? "another node" : $"'{next}'")} resumes the subscription."
            );
            json.WriteStartObject("Data");
            json.WriteString("RedirectedTag", next);
            json.WriteString("redirectedTag", next);
            json.WriteString("CurrentTag", self);
            json.WriteString("currentTag", self);
            json.WriteStartArray("Reasons");
            json.WriteEndArray();
            json.WriteEndObject();
        });

    /// <summary>Tells a worker that wanted to end then that nothing is left.</summary>
    public static byte[] NoDocumentsLeft(string subscription) =>
        Write(json =>
        {
            json.WriteString("Type", "ConnectionStatus");
            json.WriteString("Status", "Closed");
            WriteError(json, $"No documents are left for the subscription '{subscription}'.");
            json.WriteStartObject("Data");
            json.WriteBoolean("CanReconnect", false);
            json.WriteBoolean("NoDocsLeft", true);
            json.WriteEndObject();
        });

    /// <summary>Reports an error; the connection ends.</summary>
    public static byte[] Error(string type, string message) =>
        Write(json =>
        {
            json.WriteString("Type", "Error");
            json.WriteString("Status", "None");
            WriteError(json, $"{type}: {message}");
        });

    /// <summary>Confirms that the acknowledgement is durable.</summary>
    public static ReadOnlyMemory<byte> Confirm { get; } = "{\"Type\":\"Confirm\"}"u8.ToArray();

    /// <summary>Ends a batch.</summary>
    public static ReadOnlyMemory<byte> EndOfBatch { get; } = "{\"Type\":\"EndOfBatch\"}"u8.ToArray();

    private static string StatusOf(SubscriptionProblem problem) =>
        problem switch
        {
            SubscriptionProblem.NotFound or SubscriptionProblem.Deleted => "NotFound",
            SubscriptionProblem.InUse or SubscriptionProblem.TakenOver => "InUse",
            SubscriptionProblem.Invalid or SubscriptionProblem.Failed => "Invalid",
            _ => "Closed",
        };

    private static void WriteError(Utf8JsonWriter json, string message)
    {
        json.WriteString("Message", message);
        json.WriteString("Exception", message);
    }

    private static byte[] Write(Action<Utf8JsonWriter> write)
    {
        var text = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(text))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }
        return text.WrittenSpan.ToArray();
    }
}
