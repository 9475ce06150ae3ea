namespace Pipeline.Database;

/// <summary>What a patch did.</summary>
/// <param name="Status">What.</param>
/// <param name="Id">The document.</param>
/// <param name="Document">The document as it is then; null where there is none.</param>
/// <param name="Output">What the script gave to <c>output(…)</c>.</param>
public sealed record PatchResult(PatchStatus Status, string Id, Document? Document, IReadOnlyList<string> Output);
