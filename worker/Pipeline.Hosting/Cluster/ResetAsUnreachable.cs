using System.Net.Sockets;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Turns the bare <see cref="SocketException"/> that .NET throws when a new connection is reset at once into a
/// <see cref="HttpRequestException"/>, as every other server that does not answer throws.
/// </summary>
internal sealed class ResetAsUnreachable(HttpMessageHandler inner) : DelegatingHandler(inner)
{
    /// <inheritdoc/>
    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        try
        {
            return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException e)
        {
            throw new HttpRequestException($"{request.RequestUri?.Authority} cannot be reached: {e.Message}", e);
        }
    }
}
