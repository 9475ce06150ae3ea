using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>A field that a map names while it runs: the result of <c>CreateField</c>.</summary>
/// <param name="Name">The field's name; nothing is indexed if it is null or empty.</param>
/// <param name="Value">Its value.</param>
/// <param name="Options">How it is indexed; <see langword="null"/> follows the definition.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct CreatedField(string? Name, object? Value, CreateFieldOptions? Options);

/// <summary>How a field made by <c>CreateField</c> is indexed; unset options follow the definition.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record CreateFieldOptions
{
    /// <summary>Whether its values are stored in the index.</summary>
    public FieldStorage? Storage { get; init; }

    /// <summary>How its values become terms.</summary>
    public FieldIndexing? Indexing { get; init; }

    /// <summary>The data kept for highlighting and similar documents.</summary>
    public FieldTermVector? TermVector { get; init; }
}

/// <summary>How a field's values become terms.</summary>
public enum FieldIndexing
{
    /// <summary>A value is one term, in lower case.</summary>
    Default = 0,

    /// <summary>Not at all: the field cannot be searched.</summary>
    No,

    /// <summary>A text is cut into words by an analyzer.</summary>
    Search,

    /// <summary>The unchanged value is one term.</summary>
    Exact,
}

/// <summary>Whether a field's values are stored in an index.</summary>
public enum FieldStorage
{
    /// <summary>They are not.</summary>
    No = 0,

    /// <summary>They are.</summary>
    Yes,
}

/// <summary>The data kept about a field's terms for each entry.</summary>
public enum FieldTermVector
{
    /// <summary>Nothing.</summary>
    No = 0,

    /// <summary>The terms.</summary>
    Yes,

    /// <summary>The terms and their positions.</summary>
    WithPositions,

    /// <summary>The terms and their places in the text.</summary>
    WithOffsets,

    /// <summary>The terms, their positions and their places in the text.</summary>
    WithPositionsAndOffsets,
}

/// <summary>
/// A place or shape: the result of <c>CreateSpatialField</c>. Neither a point nor a shape if an argument was null.
/// </summary>
/// <param name="Latitude">In degrees, north positive.</param>
/// <param name="Longitude">In degrees, east positive.</param>
/// <param name="Wkt">A shape as well-known text.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct SpatialField(double? Latitude, double? Longitude, string? Wkt);
