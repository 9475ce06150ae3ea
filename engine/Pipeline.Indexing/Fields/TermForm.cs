namespace Pipeline.Indexing;

/// <summary>
/// The form that a field's strings take in the index. Numbers, points, nulls and booleans do not depend on it, except
/// for <see cref="No"/>.
/// </summary>
public enum TermForm
{
    /// <summary>One term: the whole value, lower-cased.</summary>
    Default,

    /// <summary>One term: the whole value, unchanged.</summary>
    Exact,

    /// <summary>The terms that the field's analyzer makes of it, with frequencies, lengths and positions.</summary>
    Search,

    /// <summary>Nothing; the field cannot be searched.</summary>
    No,
}
