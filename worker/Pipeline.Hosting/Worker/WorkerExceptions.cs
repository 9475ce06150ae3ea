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

/// <summary>
/// A run ended because the node must be filled from another one. Opening the worker again does it; <c>pipeline run</c>
/// does so by itself.
/// </summary>
/// <param name="node">The node's name.</param>
internal sealed class NodeRestartException(string node)
    : WorkerException(
        $"the node '{node}' must be filled from another node: start it again, which does so",
        ExitCodes.Failed
    );
