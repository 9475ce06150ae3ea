using System.Text.Json;
using Pipeline.Configuration.Testing;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Hosting.Tasks;

/// <summary>What became of one document: <c>/journey</c>.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Collection">Its collection.</param>
/// <param name="LastPosition">The database's last position.</param>
/// <param name="Total">How many versions the database has.</param>
/// <param name="Versions">Its versions, newest first.</param>
/// <param name="Indexes">The indexes of its collection.</param>
/// <param name="DeadLetters">Its dead letters.</param>
internal sealed record JourneyView(
    string Id,
    string Collection,
    long LastPosition,
    long Total,
    IReadOnlyList<JourneyVersion> Versions,
    IReadOnlyList<JourneyIndex> Indexes,
    IReadOnlyList<DeadLetterView> DeadLetters
);

/// <summary>A version of a document.</summary>
/// <param name="Position">The position of its change.</param>
/// <param name="ChangeVector">Its change vector.</param>
/// <param name="Time">When it was committed.</param>
/// <param name="IsDeleted">Whether it is a deletion.</param>
/// <param name="IsCurrent">Whether it is the stored one.</param>
/// <param name="Document">The document; null for a deletion.</param>
/// <param name="Tasks">What the tasks that read its collection did with it.</param>
internal sealed record JourneyVersion(
    long Position,
    string ChangeVector,
    DateTimeOffset Time,
    bool IsDeleted,
    bool IsCurrent,
    JsonElement? Document,
    IReadOnlyList<JourneyTask> Tasks
);

/// <summary>What a task did with a version.</summary>
/// <param name="Name">The task.</param>
/// <param name="Connection">The connection that it sends to.</param>
/// <param name="Status">
/// One word: <c>sent</c>, <c>nothing</c> (its transform sends no message), <c>deadLetter</c>, <c>waiting</c>,
/// <c>passed</c> (a version that was replaced: it was sent if the task read it before the next one) or
/// <c>disabled</c>.
/// </param>
/// <param name="Letters">The ids of its dead letters of this version.</param>
/// <param name="Outcome">
/// What its transform gives for the version now; the ids are those of the messages. Null for a disabled task.
/// </param>
internal sealed record JourneyTask(
    string Name,
    string Connection,
    string Status,
    IReadOnlyList<string> Letters,
    BenchOutcome? Outcome
);

/// <summary>An index of a document's collection.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Status"><c>indexed</c>, <c>behind</c>, <c>error</c> or <c>none</c> (the map gives no entry).</param>
/// <param name="Position">Every change up to here is in the index.</param>
/// <param name="IsReduced">Whether it is a map-reduce index, whose entries are those of groups.</param>
/// <param name="Error">Why the document could not be indexed.</param>
internal sealed record JourneyIndex(string Name, string Status, long Position, bool IsReduced, string? Error);
