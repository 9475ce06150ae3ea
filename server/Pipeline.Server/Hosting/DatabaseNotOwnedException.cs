namespace Pipeline.Server.Hosting;

/// <summary>A database cannot be deleted by clients, or they may make none.</summary>
public sealed class DatabaseNotOwnedException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The database.</param>
    /// <param name="reason">Why not.</param>
    public DatabaseNotOwnedException(string name, string reason)
        : base($"The database '{name}' {reason}.") => Name = name;

    /// <summary>The database.</summary>
    public string Name { get; }
}
