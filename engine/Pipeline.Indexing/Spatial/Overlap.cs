namespace Pipeline.Indexing;

/// <summary>How much of a rectangle a shape holds.</summary>
public enum Overlap
{
    /// <summary>None of it.</summary>
    None,

    /// <summary>Some of it, or it is not certain.</summary>
    Partial,

    /// <summary>All of it.</summary>
    Whole,
}
