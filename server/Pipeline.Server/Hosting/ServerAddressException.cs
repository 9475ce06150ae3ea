namespace Pipeline.Server.Hosting;

/// <summary>The server cannot listen where it should.</summary>
public sealed class ServerAddressException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="url">Where it should listen.</param>
    /// <param name="reason">Why it cannot.</param>
    /// <param name="inner">What the system says.</param>
    public ServerAddressException(Uri url, string reason, Exception? inner = null)
        : base($"Cannot listen on {url}: {reason}", inner) => Url = url;

    /// <summary>Where it should listen.</summary>
    public Uri Url { get; }
}
