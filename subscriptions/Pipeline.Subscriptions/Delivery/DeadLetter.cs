using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>The document that says what was parked, why, and where it came from: of subscriptions as of ETL tasks.</summary>
/// <param name="Id">Its id, the same whenever the same thing is parked again.</param>
/// <param name="OwnerKind">The name of the property that says whose it is: <c>Subscription</c> or <c>Task</c>.</param>
/// <param name="Owner">Whose it is.</param>
/// <param name="Kind">What was parked, such as <c>rejected</c> or <c>transform</c>.</param>
/// <param name="DocumentId">The document whose change it was.</param>
/// <param name="DocumentCollection">Its collection; null where it is not known any more.</param>
/// <param name="Position">The change's position.</param>
/// <param name="Attempts">How often it was tried.</param>
/// <param name="Time">When it was parked.</param>
/// <param name="Reason">Why, for people.</param>
/// <param name="Document">The document as JSON; empty where it is gone.</param>
public sealed record DeadLetter(
    string Id, string OwnerKind, string Owner, string Kind, string DocumentId, string? DocumentCollection, long Position, int Attempts, DateTimeOffset Time, string Reason, ReadOnlyMemory<byte> Document)
{
    /// <summary>The collection of dead letters, of tasks as of subscriptions.</summary>
    public const string Collection = "DeadLetters";

    private const string TimeFormat = "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'";

    /// <summary>Writes it as a document with its metadata.</summary>
    /// <param name="writeError">Adds properties to the object <c>Error</c>, behind its <c>Message</c>; null for none.</param>
    /// <param name="writeMore">Adds properties behind <c>Document</c>; null for none.</param>
    /// <returns>UTF-8 JSON.</returns>
    public byte[] Write(Action<Utf8JsonWriter>? writeError = null, Action<Utf8JsonWriter>? writeMore = null)
    {
        var buffer = new ArrayBufferWriter<byte>(Document.Length + 512);
        using var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });
        json.WriteStartObject();
        json.WriteString(OwnerKind, Owner);
        json.WriteString(nameof(Kind), Kind);
        json.WriteString(nameof(DocumentId), DocumentId);
        if (DocumentCollection is not null) json.WriteString(nameof(DocumentCollection), DocumentCollection);
        json.WriteNumber(nameof(Position), Position);
        json.WriteNumber(nameof(Attempts), Attempts);
        json.WriteString(nameof(Time), Time.UtcDateTime.ToString(TimeFormat, CultureInfo.InvariantCulture));
        json.WriteStartObject("Error");
        json.WriteString("Message", Reason);
        writeError?.Invoke(json);
        json.WriteEndObject();
        json.WritePropertyName(nameof(Document));
        if (Document.IsEmpty) json.WriteNullValue();
        else json.WriteRawValue(Document.Span, skipInputValidation: true);
        writeMore?.Invoke(json);
        json.WriteStartObject("@metadata");
        json.WriteString("@id", Id);
        json.WriteString("@collection", Collection);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>The id of a subscription's dead letter. A task's name cannot hold its first character, so the two kinds never meet.</summary>
    internal static string IdOf(string subscription, long position) => string.Create(CultureInfo.InvariantCulture, $"deadletters/@{subscription}/{position}");

    /// <summary>The dead letter of a subscription's change.</summary>
    internal static DeadLetter Of(string subscription, ParkedChange parked, DateTimeOffset now)
    {
        DeliveryItem item = parked.Item;
        var body = new ArrayBufferWriter<byte>();
        item.Change.Body.WriteTo(body);
        return new DeadLetter(
            IdOf(subscription, item.Position), "Subscription", subscription, parked.Kind, item.Change.Id, item.Change.Collection, item.Position, item.Attempts, now, parked.Reason, body.WrittenMemory);
    }
}
