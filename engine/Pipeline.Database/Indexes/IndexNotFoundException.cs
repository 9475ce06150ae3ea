namespace Pipeline.Database.Indexes;

/// <summary>There is no index of a name.</summary>
public sealed class IndexNotFoundException : Exception
{
    /// <summary>Creates the error.</summary>
    public IndexNotFoundException(string name)
        : base($"There is no index '{DocumentKeys.Printable(name)}'.") => Name = name;

    /// <summary>The name.</summary>
    public string Name { get; }
}
