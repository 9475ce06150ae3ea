namespace Pipeline.Server.Hosting;

/// <summary>The server cannot listen where it should.</summary>
public sealed class ServerAddressException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="url">Where it should listen.</param>
    /// <param name="reason">Why it cannot.</param>
    /// <param name="inner">What the system says.</param>
    /// <param name="isInUse">Whether another process listens there.</param>
    public ServerAddressException(Uri url, string reason, Exception? inner = null, bool isInUse = false)
        : base($"Cannot listen on {url}: {reason}", inner) => (Url, IsInUse) = (url, isInUse);

    /// <summary>Where it should listen.</summary>
    public Uri Url { get; }

    /// <summary>Whether another process listens there.</summary>
    public bool IsInUse { get; }
}
