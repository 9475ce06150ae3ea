namespace Pipeline.Server.Hosting;

/// <summary>No database has this name.</summary>
public sealed class DatabaseMissingException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="name">The requested name.</param>
    public DatabaseMissingException(string name)
        : base($"There is no database '{name}'.") => Name = name;

    /// <summary>The requested name.</summary>
    public string Name { get; }
}
