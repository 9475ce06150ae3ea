namespace Pipeline.Hosting;

/// <summary>Another process listens on the address of <c>server.url</c>.</summary>
public sealed class AddressInUseException : WorkerException
{
    /// <summary>Creates the error.</summary>
    public AddressInUseException(Uri url, Exception innerException)
        : base(
            $"{url.GetLeftPart(UriPartial.Authority)} is in use by another process; set server.url to a free port in the configuration (port 0 takes any)",
            ExitCodes.Usage,
            innerException
        )
    {
        Url = url;
    }

    /// <summary>The address.</summary>
    public Uri Url { get; }
}
