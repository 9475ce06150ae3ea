using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

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
