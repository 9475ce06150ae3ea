namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>What a patch made of a document.</summary>
/// <param name="Changed">The document as JSON with its <c>@metadata</c>; <see langword="null"/> where the script has not changed it.</param>
/// <param name="Output">What <c>output(…)</c> was given, as text.</param>
public sealed record PatchOutcome(ReadOnlyMemory<byte>? Changed, IReadOnlyList<string> Output);
