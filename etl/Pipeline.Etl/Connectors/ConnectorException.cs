namespace Pipeline.Etl.Connectors;

/// <summary>A target could not be reached or refused a whole batch.</summary>
/// <remarks>
/// The connector knows its target, so it decides whether a retry can help. The runner decides how long to wait.
/// </remarks>
public sealed class ConnectorException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="connection">The connection's name in the configuration.</param>
    /// <param name="message">What failed and at which address, without secrets.</param>
    /// <param name="isTransient"><see langword="true"/> if the same batch may succeed later.</param>
    /// <param name="innerException">The client library's error.</param>
    public ConnectorException(string connection, string message, bool isTransient, Exception? innerException = null)
        : base(message, innerException)
    {
        Connection = connection;
        IsTransient = isTransient;
    }

    /// <summary>The connection's name in the configuration.</summary>
    public string Connection { get; }

    /// <summary>Whether the same batch may succeed later.</summary>
    public bool IsTransient { get; }
}
