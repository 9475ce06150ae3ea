using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// A value, or a whole entry, of an index with the factor for its scores: the result of <c>.Boost(2)</c>.
/// </summary>
/// <param name="Value">The value.</param>
/// <param name="Factor">The factor.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Boosted<T>(T Value, double Factor);
