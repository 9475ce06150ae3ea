namespace Pipeline.Server.Hosting;

/// <summary>Clients may not delete this database, or may not create any.</summary>
public sealed class DatabaseNotOwnedException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="name">The database.</param>
    /// <param name="reason">The reason.</param>
    public DatabaseNotOwnedException(string name, string reason)
        : base($"The database '{name}' {reason}.") => Name = name;

    /// <summary>The database.</summary>
    public string Name { get; }
}
