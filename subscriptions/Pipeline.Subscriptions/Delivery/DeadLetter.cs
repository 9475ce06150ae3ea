using System.Buffers;
using System.Globalization;
using System.Text.Json;

namespace Pipeline.Subscriptions;

/// <summary>
/// A document that records a parked change, the reason, and its origin. Subscriptions and ETL tasks share the format.
/// </summary>
/// <param name="Id">The id; parking the same change again gives the same id.</param>
/// <param name="OwnerKind">The name of the property that holds the owner: <c>Subscription</c> or <c>Task</c>.</param>
/// <param name="Owner">The subscription or task.</param>
/// <param name="Kind">What was parked, such as <c>rejected</c> or <c>transform</c>.</param>
/// <param name="DocumentId">The document that changed.</param>
/// <param name="DocumentCollection">The document's collection; null if it is no longer known.</param>
/// <param name="Position">The change's position.</param>
/// <param name="Attempts">How many times it was tried.</param>
/// <param name="Time">When it was parked.</param>
/// <param name="Reason">The reason, in words.</param>
/// <param name="Document">The document as JSON; empty if it no longer exists.</param>
public sealed record DeadLetter(
    string Id,
    string OwnerKind,
    string Owner,
    string Kind,
    string DocumentId,
    string? DocumentCollection,
    long Position,
    int Attempts,
    DateTimeOffset Time,
    string Reason,
    ReadOnlyMemory<byte> Document
)
{
    /// <summary>The collection of dead letters, shared by tasks and subscriptions.</summary>
    public const string Collection = "DeadLetters";

    private const string TimeFormat = "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'";

    /// <summary>Writes it as a document with its metadata.</summary>
    /// <param name="writeError">
    /// Adds properties to the object <c>Error</c> after its <c>Message</c>; null for none.
    /// </param>
    /// <param name="writeMore">Adds properties after <c>Document</c>; null for none.</param>
    /// <returns>UTF-8 JSON.</returns>
    public byte[] Write(Action<Utf8JsonWriter>? writeError = null, Action<Utf8JsonWriter>? writeMore = null)
    {
        var buffer = new ArrayBufferWriter<byte>(Document.Length + 512);
        using var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });
        json.WriteStartObject();
        json.WriteString(OwnerKind, Owner);
        json.WriteString(nameof(Kind), Kind);
        json.WriteString(nameof(DocumentId), DocumentId);
        if (DocumentCollection is not null)
            json.WriteString(nameof(DocumentCollection), DocumentCollection);
        json.WriteNumber(nameof(Position), Position);
        json.WriteNumber(nameof(Attempts), Attempts);
        json.WriteString(nameof(Time), Time.UtcDateTime.ToString(TimeFormat, CultureInfo.InvariantCulture));
        json.WriteStartObject("Error");
        json.WriteString("Message", Reason);
        writeError?.Invoke(json);
        json.WriteEndObject();
        json.WritePropertyName(nameof(Document));
        if (Document.IsEmpty)
            json.WriteNullValue();
        else
            json.WriteRawValue(Document.Span, skipInputValidation: true);
        writeMore?.Invoke(json);
        json.WriteStartObject("@metadata");
        json.WriteString("@id", Id);
        json.WriteString("@collection", Collection);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>
    /// The id of a subscription's dead letter. A task's name cannot contain its '@', so the ids of the two kinds never
    /// collide.
    /// </summary>
    internal static string IdOf(string subscription, long position) =>
        string.Create(CultureInfo.InvariantCulture, $"deadletters/@{subscription}/{position}");

    /// <summary>The dead letter of a subscription's change.</summary>
    internal static DeadLetter Of(string subscription, ParkedChange parked, DateTimeOffset now)
    {
        var item = parked.Item;
        var body = new ArrayBufferWriter<byte>();
        item.Change.Body.WriteTo(body);
        return new DeadLetter(
            IdOf(subscription, item.Position),
            "Subscription",
            subscription,
            parked.Kind,
            item.Change.Id,
            item.Change.Collection,
            item.Position,
            item.Attempts,
            now,
            parked.Reason,
            body.WrittenMemory
        );
    }
}
