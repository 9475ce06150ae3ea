namespace Pipeline.Documents;

/// <summary>Stored data contradicts itself.</summary>
public sealed class DatabaseCorruptException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="database">The database's name.</param>
    /// <param name="reason">The finding, with its place, as a sentence without the full stop.</param>
    public DatabaseCorruptException(string database, string reason)
        : base($"The database '{database}' is corrupt: {reason}. Restore it from a backup.")
    {
        Database = database;
        Reason = reason;
    }

    /// <summary>The database's name.</summary>
    public string Database { get; }

    /// <summary>The finding, with its place.</summary>
    public string Reason { get; }
}
