namespace Pipeline.Server.Hosting;

/// <summary>There are as many databases as are allowed.</summary>
public sealed class TooManyDatabasesException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="most">How many are allowed.</param>
    public TooManyDatabasesException(int most)
        : base($"There are {most} databases, as many as are allowed ({nameof(ServerLimits.MaxDatabases)}): delete one first.") => Most = most;

    /// <summary>How many are allowed.</summary>
    public int Most { get; }
}
