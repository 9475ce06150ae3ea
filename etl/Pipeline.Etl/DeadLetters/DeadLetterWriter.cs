using System.Buffers;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// Creates the documents of the collection <c>DeadLetters</c>: what failed, why, where and when. Not thread-safe.
/// </summary>
/// <remarks>
/// Ids consist of task and position, so a batch that is repeated after a crash overwrites the same documents instead of
/// adding new ones.
/// </remarks>
internal sealed class DeadLetterWriter(EtlTaskConfiguration task, TimeProvider time)
{
    private readonly ArrayBufferWriter<byte> _document = new();

    /// <summary>The id of the letter of a whole change.</summary>
    public string IdOf(long position) => DeadLetterIds.Of(task.Name, position);

    /// <summary>The id of the letter of one message.</summary>
    /// <param name="position">The change's position.</param>
    /// <param name="ordinal">Which one of its messages it is, from 0.</param>
    public string IdOf(long position, int ordinal) => DeadLetterIds.Of(task.Name, position, ordinal);

    /// <summary>
    /// Creates the letter of a document that the transform failed on, or whose key an earlier letter holds.
    /// </summary>
    /// <param name="change">The change.</param>
    /// <param name="error">
    /// What the transform threw; <see langword="null"/> if it did not run because the key is held.
    /// </param>
    /// <param name="attempts">How often the transform was run.</param>
    /// <param name="holds">The key that it holds; <see langword="null"/> for none.</param>
    /// <param name="snapshot">The snapshot that contains the document.</param>
    public KeyValuePair<string, ReadOnlyMemory<byte>> ForChange(
        in FeedChange change,
        Exception? error,
        int attempts,
        string? holds,
        IFeedSnapshot snapshot
    )
    {
        var id = IdOf(change.Position);
        _document.Clear();
        if (!change.Document.IsDeleted)
            snapshot.TryWriteJson(change.Position, _document);
        var letter = new ParkedLetter
        {
            Id = id,
            Kind = error is null ? "held" : "transform",
            DocumentId = change.Document.Id,
            Collection = change.Document.Collection,
            Position = change.Position,
            Attempts = attempts,
            IsDeletion = change.Document.IsDeleted,
            Holds = holds,
            Document = _document.WrittenMemory,
        };
        return Write(
            letter,
            error is null ? FailureClass.Held : FailureClass.Script,
            error?.Message ?? HeldReason(holds),
            error as ScriptRuntimeException,
            null
        );
    }

    /// <summary>
    /// Creates the letter of a message that the target will never accept, or that waits for an earlier one.
    /// </summary>
    /// <param name="failed">The message and why.</param>
    /// <param name="ordinal">Which one of its document's messages it is, from 0.</param>
    /// <param name="holds">The key that it holds; <see langword="null"/> for none.</param>
    /// <param name="documents">A snapshot that may still contain its document.</param>
    public KeyValuePair<string, ReadOnlyMemory<byte>> ForMessage(
        FailedMessage failed,
        int ordinal,
        string? holds,
        IFeedSnapshot documents
    )
    {
        var message = failed.Message;
        _document.Clear();
        documents.TryWriteJson(message.DocumentPosition, _document);
        var letter = new ParkedLetter
        {
            Id = IdOf(message.DocumentPosition, ordinal),
            Kind = failed.Class == FailureClass.Held ? "held" : "message",
            DocumentId = message.Subject,
            Position = message.DocumentPosition,
            Attempts = failed.Attempts,
            IsDeletion = message.IsDeletion,
            Holds = holds,
            Document = _document.WrittenMemory,
            Collection = message.Collection,
        };
        return Write(letter, failed.Class, failed.Reason, null, message);
    }

    /// <summary>Rewrites a letter whose retry failed. It is no longer marked and holds the new error.</summary>
    public KeyValuePair<string, ReadOnlyMemory<byte>> Again(
        ParkedLetter letter,
        FailureClass kind,
        string reason,
        ScriptRuntimeException? script,
        OutgoingMessage? message
    ) =>
        Write(
            letter with
            {
                Attempts = letter.Attempts + 1,
                Kind = message is null ? "transform" : "message",
            },
            kind,
            reason,
            script,
            message
        );

    /// <summary>The reason for which a held change waits.</summary>
    public static string HeldReason(string? holds) => $"an earlier change of the same key is parked ({holds})";

    private KeyValuePair<string, ReadOnlyMemory<byte>> Write(
        ParkedLetter letter,
        FailureClass kind,
        string reason,
        ScriptRuntimeException? script,
        OutgoingMessage? message
    )
    {
        var json = new DeadLetter(
            letter.Id,
            "Task",
            task.Name,
            letter.Kind,
            letter.DocumentId,
            letter.Collection,
            letter.Position,
            letter.Attempts,
            time.GetUtcNow(),
            reason,
            letter.Document
        ).Write(
            script is null ? null : json => WriteError(json, script),
            json => WriteMore(json, letter, kind, message)
        );
        return new(letter.Id, json);
    }

    private void WriteMore(Utf8JsonWriter json, ParkedLetter letter, FailureClass kind, OutgoingMessage? message)
    {
        json.WriteString("Class", FailureClassText.Of(kind));
        json.WriteString("Script", task.ScriptVersion);
        if (letter.Holds is not null)
            json.WriteString("Holds", letter.Holds);
        if (letter.IsDeletion)
            json.WriteBoolean("IsDeletion", true);
        if (letter.IsEdited)
            json.WriteBoolean("Edited", true);
        if (message is not null)
        {
            WriteMessage(json, message);
        }
        else if (!letter.Message.IsEmpty)
        {
            json.WritePropertyName("Message");
            json.WriteRawValue(letter.Message.Span, skipInputValidation: true);
        }
    }

    private void WriteError(Utf8JsonWriter json, ScriptRuntimeException script)
    {
        json.WriteString("Type", (script.InnerException ?? script).GetType().Name);
        if (task.Locate(script) is not var (file, line, column))
            return;
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
        if (message.Body.IsEmpty)
            json.WriteNullValue();
        else
            json.WriteRawValue(message.Body.Span, skipInputValidation: true);
        json.WriteEndObject();
    }
}
