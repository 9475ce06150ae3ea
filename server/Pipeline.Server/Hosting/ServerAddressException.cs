namespace Pipeline.Server.Hosting;

/// <summary>The server cannot listen at its address.</summary>
public sealed class ServerAddressException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="url">The address.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="inner">The system's error.</param>
    /// <param name="isInUse">Whether another process listens there.</param>
    public ServerAddressException(Uri url, string reason, Exception? inner = null, bool isInUse = false)
        : base($"Cannot listen on {url}: {reason}", inner) => (Url, IsInUse) = (url, isInUse);

    /// <summary>The address.</summary>
    public Uri Url { get; }

    /// <summary>Whether another process listens there.</summary>
    public bool IsInUse { get; }
}
