using Pipeline.Server.Settings;

namespace Pipeline.Server.Errors;

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

/// <summary>The database was disabled on request.</summary>
internal sealed class DatabaseDisabledException(string name)
    : Exception($"The database '{name}' is disabled: enable it (POST /admin/databases/enable).");

/// <summary>A request to delete a database was refused, because it is locked.</summary>
internal sealed class DatabaseLockedException(string name, string mode)
    : Exception(
        $"Database '{name}' cannot be deleted because of its lock mode ('{mode}'): unlock it first (POST /admin/databases/set-lock)."
    );

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

/// <summary>The limit of databases is reached.</summary>
public sealed class TooManyDatabasesException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="most">The limit.</param>
    public TooManyDatabasesException(int most)
        : base(
            $"There are {most} databases, as many as are allowed ({nameof(ServerLimits.MaxDatabases)}): delete one first."
        ) => Most = most;

    /// <summary>The limit.</summary>
    public int Most { get; }
}
