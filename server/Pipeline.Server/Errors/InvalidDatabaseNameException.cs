namespace Pipeline.Server.Hosting;

/// <summary>A database cannot have this name.</summary>
public sealed class InvalidDatabaseNameException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="name">The name.</param>
    /// <param name="reason">The reason.</param>
    public InvalidDatabaseNameException(string name, string reason)
        : base($"'{name}' cannot be the name of a database: {reason}.") => Name = name;

    /// <summary>The name.</summary>
    public string Name { get; }
}
