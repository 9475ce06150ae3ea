namespace Pipeline.Server.Hosting;

/// <summary>There is no database of this name.</summary>
public sealed class DatabaseMissingException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The name that was asked for.</param>
    public DatabaseMissingException(string name)
        : base($"There is no database '{name}'.") => Name = name;

    /// <summary>The name that was asked for.</summary>
    public string Name { get; }
}
