using System.Globalization;

namespace Pipeline.Documents;

/// <summary>The names of the database's trees; FORMAT.md, "Documents", describes their contents.</summary>
internal static class DatabaseTrees
{
    internal const string Documents = "documents";
    internal const string Ids = "ids";
    internal const string Collections = "collections";
    internal const string State = "state";
    internal const string Meta = "meta";
    internal const string Dictionaries = "dictionaries";
    internal const string Attachments = "attachments";
    internal const string AttachmentContents = "attachment-contents";
    internal const string AttachmentParts = "attachment-parts";
    internal const string AttachmentUploads = "attachment-uploads";
    internal const string CompareExchange = "compare-exchange";
    internal const string Revisions = "revisions";
    internal const string RevisionIds = "revision-ids";
    internal const string RevisionHolds = "revision-holds";
    internal const string DueDocuments = "due-documents";
    internal const string Events = "events";
    internal const string EventPositions = "event-positions";
    internal const string EventTags = "event-tags";
    internal const string EventStreams = "event-streams";
    internal const string EventStreamIds = "event-stream-ids";
    internal const string StreamSnapshots = "stream-snapshots";

    /// <summary>All of them but the derived ones and those of each collection.</summary>
    internal static readonly string[] Fixed =
    [
        Documents,
        Ids,
        Collections,
        State,
        Meta,
        Dictionaries,
        Attachments,
        AttachmentContents,
        AttachmentParts,
        AttachmentUploads,
        CompareExchange,
        Revisions,
        RevisionIds,
        RevisionHolds,
        Events,
        EventPositions,
        EventTags,
        EventStreams,
        EventStreamIds,
        StreamSnapshots,
    ];

    /// <summary>Made of the documents, so a salvage leaves them out and they are filled again.</summary>
    internal static readonly string[] Derived = [DueDocuments];

    internal static string Live(int collectionId) =>
        string.Create(CultureInfo.InvariantCulture, $"collection/{collectionId}");

    internal static string Tombstones(int collectionId) =>
        string.Create(CultureInfo.InvariantCulture, $"tombstones/{collectionId}");

    internal static string RevisionsOf(int collectionId) =>
        string.Create(CultureInfo.InvariantCulture, $"revisions/{collectionId}");
}
