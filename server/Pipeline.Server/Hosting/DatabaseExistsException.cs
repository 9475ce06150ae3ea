namespace Pipeline.Server.Hosting;

/// <summary>There is a database of this name already.</summary>
public sealed class DatabaseExistsException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The name.</param>
    public DatabaseExistsException(string name)
        : base($"The database '{name}' exists already.") => Name = name;

    /// <summary>The name.</summary>
    public string Name { get; }
}
