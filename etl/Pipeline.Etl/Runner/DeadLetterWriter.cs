using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Makes the documents of the collection <c>DeadLetters</c>: what failed, why, where and when. Not thread-safe.</summary>
/// <remarks>Ids are made of task and position, so a batch that is worked off again after a crash writes the same documents again, not further ones.</remarks>
internal sealed class DeadLetterWriter(EtlTaskConfiguration task, TimeProvider time)
{
    /// <summary>The collection of dead letters. No task reads it unless it names it.</summary>
    public const string Collection = DeadLetter.Collection;

    private readonly ArrayBufferWriter<byte> _document = new();

    /// <summary>A document that the transform failed on.</summary>
    public KeyValuePair<string, ReadOnlyMemory<byte>> ForChange(in FeedChange change, Exception error, IFeedSnapshot snapshot)
    {
        string id = string.Create(CultureInfo.InvariantCulture, $"deadletters/{task.Name}/{change.Position}");
        _document.Clear();
        if (!change.Document.IsDeleted) snapshot.TryWriteJson(change.Position, _document);
        return new(id, Write(id, "transform", change.Document.Id, change.Document.Collection, change.Position, 1, error.Message, error as ScriptRuntimeException, _document.WrittenMemory, null));
    }

    /// <summary>A message that the target will never take.</summary>
    /// <param name="message">The message.</param>
    /// <param name="ordinal">Which one of its document's messages it is, from 0.</param>
    /// <param name="reason">The target's reason.</param>
    /// <param name="attempts">How often it was sent; 0 where it was refused before sending.</param>
    /// <param name="documents">Where its document may still be found.</param>
    public KeyValuePair<string, ReadOnlyMemory<byte>> ForMessage(
        OutgoingMessage message, int ordinal, string reason, int attempts, IFeedSnapshot documents)
    {
        string id = string.Create(CultureInfo.InvariantCulture, $"deadletters/{task.Name}/{message.Position}/{ordinal}");
        _document.Clear();
        documents.TryWriteJson(message.Position, _document);
        return new(id, Write(id, "message", message.Subject, null, message.Position, attempts, reason, null, _document.WrittenMemory, message));
    }

    private byte[] Write(
        string id, string kind, string documentId, string? collection, long position, int attempts, string reason, ScriptRuntimeException? script,
        ReadOnlyMemory<byte> document, OutgoingMessage? message) =>
        new DeadLetter(id, "Task", task.Name, kind, documentId, collection, position, attempts, time.GetUtcNow(), reason, document)
            .Write(script is null ? null : json => WriteError(json, script), message is null ? null : json => WriteMessage(json, message));

    private void WriteError(Utf8JsonWriter json, ScriptRuntimeException script)
    {
        json.WriteString("Type", (script.InnerException ?? script).GetType().Name);
        if (task.Locate(script) is not var (file, line, column)) return;
        json.WriteString("File", Path.GetFileName(file));
        json.WriteNumber("Line", line);
        json.WriteNumber("Column", column);
    }

    private static void WriteMessage(Utf8JsonWriter json, OutgoingMessage message)
    {
        json.WriteStartObject("Message");
        json.WriteString("Destination", message.Destination);
        json.WriteString("Id", message.Id);
        json.WriteString("Key", message.Key);
        json.WriteString("Type", message.Type);
        json.WriteString("Source", message.Source);
        json.WriteNumber("BodyBytes", message.Body.Length);
        json.WritePropertyName("Body");
        if (message.Body.IsEmpty) json.WriteNullValue();
        else json.WriteRawValue(message.Body.Span, skipInputValidation: true);
        json.WriteEndObject();
    }
}
