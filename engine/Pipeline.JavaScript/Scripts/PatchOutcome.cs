namespace Pipeline.JavaScript;

/// <summary>The result of a patch.</summary>
/// <param name="Changed">
/// The document as JSON with its <c>@metadata</c>; <see langword="null"/> where the script has not changed it.
/// </param>
/// <param name="Output">The arguments of <c>output(…)</c>, as text.</param>
public sealed record PatchOutcome(ReadOnlyMemory<byte>? Changed, IReadOnlyList<string> Output);
