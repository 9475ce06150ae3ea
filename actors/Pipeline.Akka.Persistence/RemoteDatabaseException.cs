namespace Pipeline.Akka.Persistence;

/// <summary>A database of a server cannot be reached, or refuses what it is asked.</summary>
public sealed class RemoteDatabaseException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="database">The database, with its address.</param>
    /// <param name="reason">What it said, or what failed.</param>
    /// <param name="cause">What failed.</param>
    public RemoteDatabaseException(string database, string reason, Exception? cause)
        : base($"The {database} cannot be used: {reason}", cause)
    {
    }
}
