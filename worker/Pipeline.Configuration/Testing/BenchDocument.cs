using System.Text.Json;

namespace Pipeline.Configuration.Testing;

/// <summary>A document that was tried.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Collection">Its collection, or <see langword="null"/> if it has none.</param>
/// <param name="Position">The position of the version that was tried.</param>
/// <param name="Document">The document, with each number's stored digits.</param>
/// <param name="Before">
/// What the task's own transform gives; <see langword="null"/> if it was not asked for or does not compile.
/// </param>
/// <param name="After">What the script gives; <see langword="null"/> if it does not compile.</param>
/// <param name="IsDifferent">Whether both gave something, and not the same.</param>
internal sealed record BenchDocument(
    string Id,
    string? Collection,
    long Position,
    JsonElement Document,
    BenchOutcome? Before,
    BenchOutcome? After,
    bool IsDifferent
);

/// <summary>What a script gives for one document.</summary>
/// <param name="NotTaken">Why the task does not read the document; <see langword="null"/> if it does.</param>
/// <param name="Error">Why the script failed; <see langword="null"/> if it did not.</param>
/// <param name="Messages">What it sends, in its order.</param>
internal sealed record BenchOutcome(string? NotTaken, BenchError? Error, IReadOnlyList<BenchMessage> Messages);

/// <summary>Why a script failed.</summary>
/// <param name="Message">The error.</param>
/// <param name="Helper">The helper that it failed in; <see langword="null"/> for the script itself.</param>
/// <param name="Line">The line in the script or the helper; 0 if it is unknown.</param>
/// <param name="Column">The column; 0 if it is unknown.</param>
/// <param name="Place">The same place in its file, as <c>file:line:column</c>.</param>
internal sealed record BenchError(string Message, string? Helper, int Line, int Column, string? Place);

/// <summary>A message as its target would get it.</summary>
internal sealed record BenchMessage(
    string Destination,
    string? Key,
    string Id,
    string Type,
    string Source,
    string Subject,
    DateTimeOffset Time,
    JsonElement? Body
);
