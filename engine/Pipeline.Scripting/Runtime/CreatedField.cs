using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>A field that a map names while it runs: the result of <c>CreateField</c>.</summary>
/// <param name="Name">The field's name; nothing is indexed if it is null or empty.</param>
/// <param name="Value">Its value.</param>
/// <param name="Options">How it is indexed; <see langword="null"/> follows the definition.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct CreatedField(string? Name, object? Value, CreateFieldOptions? Options);
