using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>A value, or a whole entry, of an index with what its scores are multiplied by: what <c>.Boost(2)</c> gives.</summary>
/// <param name="Value">The value.</param>
/// <param name="Factor">The factor.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Boosted<T>(T Value, double Factor);
