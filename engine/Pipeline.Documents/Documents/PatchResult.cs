namespace Pipeline.Documents;

/// <summary>The result of a patch.</summary>
/// <param name="Status">The status.</param>
/// <param name="Id">The document.</param>
/// <param name="Document">The document after the patch; null if there is none.</param>
/// <param name="Output">The values that the script passed to <c>output(…)</c>.</param>
public sealed record PatchResult(PatchStatus Status, string Id, Document? Document, IReadOnlyList<string> Output);
