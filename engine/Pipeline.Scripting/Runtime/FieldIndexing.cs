namespace Pipeline.Scripting.Runtime;

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
