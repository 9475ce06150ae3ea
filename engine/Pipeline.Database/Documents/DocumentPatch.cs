using Pipeline.Database.Json;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.Database;

/// <summary>A script in JavaScript that changes a document, and what is done where the document is missing. Immutable.</summary>
/// <param name="Script">The script.</param>
/// <param name="Arguments">What <c>args</c> is; empty for none.</param>
public sealed record DocumentPatch(PatchScript Script, BinaryJson Arguments)
{
    /// <summary>The script for a document that is missing: it is made of what this makes of an empty one.</summary>
    public DocumentPatch? IfMissing { get; init; }

    /// <summary>The document that is made where it is missing, as JSON; null for none.</summary>
    public ReadOnlyMemory<byte>? CreateIfMissing { get; init; }

    /// <summary>Whether a document of another version than the expected one is left as it is, without an error.</summary>
    public bool SkipsConflicts { get; init; }

    /// <summary>Whether the result has the document as it is then.</summary>
    public bool ReturnsDocument { get; init; }
}
