using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>A field that a map names as it runs: what <c>CreateField</c> gives.</summary>
/// <param name="Name">The field's name; nothing is indexed where it is null or empty.</param>
/// <param name="Value">Its value.</param>
/// <param name="Options">How it is indexed; <see langword="null"/> as the definition says.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct CreatedField(string? Name, object? Value, CreateFieldOptions? Options);
