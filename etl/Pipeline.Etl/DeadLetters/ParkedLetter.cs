using System.Buffers;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.Etl.DeadLetters;

/// <summary>A task's dead letter, as read from the database. Immutable.</summary>
internal sealed record ParkedLetter
{
    /// <summary>Its own id.</summary>
    public required string Id { get; init; }

    /// <summary>The task that it belongs to, or <see langword="null"/> if it belongs to a subscription.</summary>
    public string? Task { get; init; }

    /// <summary><c>transform</c>, <c>message</c> or <c>held</c>.</summary>
    public string Kind { get; init; } = "";

    /// <summary>The document whose change it was.</summary>
    public string DocumentId { get; init; } = "";

    /// <summary>That document's collection.</summary>
    public string? Collection { get; init; }

    /// <summary>The change's position.</summary>
    public long Position { get; init; }

    /// <summary>Which of the change's messages it is; -1 for all.</summary>
    public int Ordinal { get; init; } = -1;

    /// <summary>The number of attempts.</summary>
    public int Attempts { get; init; }

    /// <summary>Whether the change was a deletion.</summary>
    public bool IsDeletion { get; init; }

    /// <summary>Whether a person has changed the input.</summary>
    public bool IsEdited { get; init; }

    /// <summary>Whether it is marked for a retry.</summary>
    public bool IsMarked { get; init; }

    /// <summary>Whether the letter has no error and waits for an earlier letter.</summary>
    public bool IsHeld { get; init; }

    /// <summary>The key whose later changes are parked behind it; <see langword="null"/> for none.</summary>
    public string? Holds { get; init; }

    /// <summary>The version of the script that made it.</summary>
    public string? Script { get; init; }

    /// <summary>The input as JSON; empty if there is none.</summary>
    public ReadOnlyMemory<byte> Document { get; init; }

    /// <summary>The message as JSON; empty if there is none.</summary>
    public ReadOnlyMemory<byte> Message { get; init; }

    /// <summary>Reads one.</summary>
    public static ParkedLetter Read(string id, BinaryJson body, bool withContent)
    {
        var root = body.Root;
        var slashes = id.Count('/');
        return new ParkedLetter
        {
            Id = id,
            Task = Text(root, "Task"),
            Kind = Text(root, "Kind") ?? "",
            DocumentId = Text(root, "DocumentId") ?? "",
            Collection = Text(root, "DocumentCollection"),
            Position = Number(root, "Position"),
            Ordinal = slashes > 2 && int.TryParse(id.AsSpan(id.LastIndexOf('/') + 1), out var ordinal) ? ordinal : -1,
            Attempts = (int)Number(root, "Attempts"),
            IsDeletion = Flag(root, "IsDeletion"),
            IsEdited = Flag(root, "Edited"),
            IsMarked = Flag(root, "Retry"),
            IsHeld = Text(root, "Class") == FailureClassText.Of(FailureClass.Held),
            Holds = Text(root, "Holds"),
            Script = Text(root, "Script"),
            Document = withContent ? Json(root, "Document") : default,
            Message = withContent ? Json(root, "Message") : default,
        };
    }

    /// <summary>The input as a script sees it.</summary>
    public ScriptDocument ToDocument(string databaseId, DateTimeOffset modified) =>
        new(DocumentId, Document.IsEmpty ? default : BinaryJson.Parse(Document.Span))
        {
            Collection = Collection,
            Version = (Position, databaseId),
            LastModified = modified,
            IsDeleted = IsDeletion,
        };

    private static string? Text(BinaryValue root, string name) => root[name].TryGetString(out var text) ? text : null;

    private static long Number(BinaryValue root, string name) => root[name].TryGetInt64(out var number) ? number : 0;

    private static bool Flag(BinaryValue root, string name) =>
        root[name] is { Kind: JsonKind.Boolean } flag && flag.GetBoolean();

    private static ReadOnlyMemory<byte> Json(BinaryValue root, string name)
    {
        var value = root[name];
        if (value.IsNullOrMissing)
            return default;
        var buffer = new ArrayBufferWriter<byte>();
        value.WriteTo(buffer);
        return buffer.WrittenMemory;
    }
}
