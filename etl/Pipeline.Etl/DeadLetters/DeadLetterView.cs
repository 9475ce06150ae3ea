using System.Globalization;
using Pipeline.Documents;
using Pipeline.Json;

namespace Pipeline.Etl.DeadLetters;

/// <summary>A dead letter without its input, for lists.</summary>
public sealed record DeadLetterView
{
    /// <summary>Its id.</summary>
    public required string Id { get; init; }

    /// <summary>The task that it belongs to, or <see langword="null"/> if it belongs to a subscription.</summary>
    public string? Task { get; init; }

    /// <summary>The subscription that it belongs to.</summary>
    public string? Subscription { get; init; }

    /// <summary>
    /// What was parked: <c>transform</c> (a document), <c>message</c>, <c>held</c>, or a subscription's word.
    /// </summary>
    public string Kind { get; init; } = "";

    /// <summary>
    /// The class of the error: <c>script</c>, <c>oversize</c>, <c>permanent</c>, <c>transient</c>, <c>held</c>.
    /// </summary>
    public string? Class { get; init; }

    /// <summary>The document.</summary>
    public string DocumentId { get; init; } = "";

    /// <summary>Its collection.</summary>
    public string? Collection { get; init; }

    /// <summary>The change's position.</summary>
    public long Position { get; init; }

    /// <summary>The number of attempts.</summary>
    public int Attempts { get; init; }

    /// <summary>When it failed last.</summary>
    public string? Time { get; init; }

    /// <summary>Why.</summary>
    public string Error { get; init; } = "";

    /// <summary>
    /// Where in its file the transform failed, such as <c>pipeline.yaml:12:7</c>; <see langword="null"/> if it did not
    /// fail, or if unknown.
    /// </summary>
    public string? Place { get; init; }

    /// <summary>The version of the transform that failed.</summary>
    public string? Script { get; init; }

    /// <summary>The key whose later changes wait behind it.</summary>
    public string? Holds { get; init; }

    /// <summary>Whether it is retried as soon as its task runs.</summary>
    public bool Retry { get; init; }

    /// <summary>Whether its input was edited.</summary>
    public bool Edited { get; init; }

    /// <summary>Reads a document of the collection <c>DeadLetters</c>.</summary>
    public static DeadLetterView Of(Document document)
    {
        ArgumentNullException.ThrowIfNull(document);
        var root = document.Body.Root;
        var letter = ParkedLetter.Read(document.Id, document.Body, withContent: false);
        return new DeadLetterView
        {
            Id = document.Id,
            Task = letter.Task,
            Subscription = Text(root, "Subscription"),
            Kind = letter.Kind,
            Class = Text(root, "Class"),
            DocumentId = letter.DocumentId,
            Collection = letter.Collection,
            Position = letter.Position,
            Attempts = letter.Attempts,
            Time = Text(root, "Time"),
            Error = Text(root["Error"], "Message") ?? "",
            Place = PlaceOf(root["Error"]),
            Script = letter.Script,
            Holds = letter.Holds,
            Retry = letter.IsMarked,
            Edited = letter.IsEdited,
        };
    }

    private static string? PlaceOf(BinaryValue error) =>
        Text(error, "File") is { } file
        && error["Line"].TryGetInt64(out var line)
        && error["Column"].TryGetInt64(out var column)
            ? string.Create(CultureInfo.InvariantCulture, $"{file}:{line}:{column}")
            : null;

    private static string? Text(BinaryValue value, string name) =>
        value.Kind == JsonKind.Object && value[name].TryGetString(out var text) ? text : null;
}
