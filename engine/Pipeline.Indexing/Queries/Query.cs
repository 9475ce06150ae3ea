namespace Pipeline.Indexing;

/// <summary>
/// What is looked for in an index: a tree of immutable records over terms, numbers and points. Texts have been analysed
/// and values turned into terms before the tree is made. Any thread may use a tree, any number of times.
/// </summary>
public abstract record Query
{
    private protected Query() { }
}
