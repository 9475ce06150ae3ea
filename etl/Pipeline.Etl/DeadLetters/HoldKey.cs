using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// The names of the keys that <c>onError: park-key</c> keeps in order: a message's key at its destination, or a
/// document.
/// </summary>
internal static class HoldKey
{
    /// <summary>The key of a document whose messages are not known.</summary>
    public static string OfDocument(string id) => "document " + id.ToLowerInvariant();

    /// <summary>The key of a message.</summary>
    public static string Of(OutgoingMessage message) =>
        message.Key is { } key ? $"key {message.Destination} {key}" : OfDocument(message.Subject);
}
