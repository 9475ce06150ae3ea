using Pipeline.JavaScript;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// A script in JavaScript that changes a document, and the action if the document is missing. Immutable.
/// </summary>
/// <param name="Script">The script.</param>
/// <param name="Arguments">The value of <c>args</c>; empty for none.</param>
public sealed record DocumentPatch(PatchScript Script, BinaryJson Arguments)
{
    /// <summary>The script for a missing document: it runs on an empty document, and its result is stored.</summary>
    public DocumentPatch? IfMissing { get; init; }

    /// <summary>The document, as JSON, that is created if it is missing; null for none.</summary>
    public ReadOnlyMemory<byte>? CreateIfMissing { get; init; }

    /// <summary>Whether a document whose version is not the expected one is skipped without an error.</summary>
    public bool SkipsConflicts { get; init; }

    /// <summary>Whether the result includes the document after the patch.</summary>
    public bool ReturnsDocument { get; init; }
}

/// <summary>The result of a patch.</summary>
/// <param name="Status">The status.</param>
/// <param name="Id">The document.</param>
/// <param name="Document">The document after the patch; null if there is none.</param>
/// <param name="Output">The values that the script passed to <c>output(…)</c>.</param>
public sealed record PatchResult(PatchStatus Status, string Id, Document? Document, IReadOnlyList<string> Output);

/// <summary>The outcome of a patch.</summary>
public enum PatchStatus
{
    /// <summary>The document does not exist, and the patch has no action for that.</summary>
    DocumentDoesNotExist,

    /// <summary>The document was made.</summary>
    Created,

    /// <summary>The document was changed.</summary>
    Patched,

    /// <summary>The document has another version than the expected one.</summary>
    Skipped,

    /// <summary>The script did not change the document.</summary>
    NotModified,
}
