namespace Pipeline.Server.Hosting;

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
