using System.Net.Sockets;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Converts the bare <see cref="SocketException"/> that .NET throws when a new connection is reset at once into the
/// <see cref="HttpRequestException"/> that it throws for every other unreachable server.
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
