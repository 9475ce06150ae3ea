namespace Pipeline.Server.Hosting;

/// <summary>A database with this name exists already.</summary>
public sealed class DatabaseExistsException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="name">The name.</param>
    public DatabaseExistsException(string name)
        : base($"The database '{name}' exists already.") => Name = name;

    /// <summary>The name.</summary>
    public string Name { get; }
}
