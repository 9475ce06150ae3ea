namespace Pipeline.Akka.Persistence;

/// <summary>A server's database cannot be reached, or refuses a request.</summary>
public sealed class RemoteDatabaseException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="database">The database, with its address.</param>
    /// <param name="reason">The server's message, or what failed.</param>
    /// <param name="cause">The underlying error.</param>
    public RemoteDatabaseException(string database, string reason, Exception? cause)
        : base($"The {database} cannot be used: {reason}", cause) { }
}
