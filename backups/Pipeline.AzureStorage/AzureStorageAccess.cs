using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Identity;
using Azure.Storage.Blobs;

namespace Pipeline.AzureStorage;

/// <summary>
/// Shared settings of the clients of Azure's storage libraries: retries, credentials, and which errors are network
/// errors. Thread-safe.
/// </summary>
internal static class AzureStorageAccess
{
    /// <summary>The credentials that Azure.Identity finds: environment, workload, managed identity, tools.</summary>
    /// <param name="clientId">
    /// The user-assigned identity; <see langword="null"/> for the one from the environment, or the system's.
    /// </param>
    internal static TokenCredential Find(string? clientId = null) =>
        clientId is null
            ? new DefaultAzureCredential()
            : new DefaultAzureCredential(
                new DefaultAzureCredentialOptions
                {
                    ManagedIdentityClientId = clientId,
                    WorkloadIdentityClientId = clientId,
                }
            );

    /// <summary>
    /// Makes a client try each request once, since its caller decides about retries, counts them and logs them.
    /// </summary>
    /// <param name="options">The client's options.</param>
    /// <param name="timeout">The timeout of one request, or of one read of its response.</param>
    /// <param name="transport">Replaces the default transport.</param>
    internal static T Configure<T>(T options, TimeSpan timeout, HttpPipelineTransport? transport = null)
        where T : ClientOptions
    {
        options.Retry.MaxRetries = 0;
        options.Retry.NetworkTimeout = timeout;
        options.Diagnostics.IsTelemetryEnabled = false;
        options.Diagnostics.ApplicationId = "pipeline";
        if (transport is not null)
            options.Transport = transport;
        return options;
    }

    /// <summary>
    /// The address for a client that sends tokens. Azure's libraries send them only over TLS; requests to this machine
    /// (an emulator, a side-car) may use plain HTTP.
    /// </summary>
    /// <param name="endpoint">The service's address.</param>
    /// <param name="options">
    /// The client's options; they get a step that removes TLS from requests to this machine.
    /// </param>
    internal static Uri WithTokens(Uri endpoint, ClientOptions options)
    {
        if (endpoint.Scheme != Uri.UriSchemeHttp || !endpoint.IsLoopback)
            return endpoint;
        options.AddPolicy(new ClearText(), HttpPipelinePosition.BeforeTransport);
        return new UriBuilder(endpoint) { Scheme = Uri.UriSchemeHttps }.Uri;
    }

    /// <summary>
    /// What is wrong with a service's address for sending tokens, to follow its name; <see langword="null"/> if it is
    /// valid.
    /// </summary>
    internal static string? FindAddressFault(Uri address, string service) =>
        !address.IsAbsoluteUri || address.Scheme is not ("https" or "http")
            ? $"must be an https address, such as https://ACCOUNT.{service.ToLowerInvariant()}.core.windows.net"
        : address.Scheme == Uri.UriSchemeHttp && !address.IsLoopback
            ? "must begin with https://, because an intercepted token can be used; http:// is for this machine only"
        : address.Query.Length > 0 || address.Fragment.Length > 0 || address.UserInfo.Length > 0
            ? "must be an address alone; a shared access signature belongs in 'connectionString'"
        : service == AzureConnectionString.Blob && FindPathFault(address) is { } path ? path
        : null;

    /// <summary>
    /// Finds an account name in the path, which Azure's library would take for a container and write to.
    /// </summary>
    internal static string? FindPathFault(Uri address) =>
        new BlobUriBuilder(address).BlobContainerName.Length == 0
            ? null
            : "must have no path: an account's name may stand there only behind an IP address or a port from 10000 to 10004";

    /// <summary>Whether no token could be obtained.</summary>
    internal static bool IsTokenFault(Exception error) =>
        error
            is AuthenticationFailedException
                or AggregateException { InnerExceptions: [.., AuthenticationFailedException] };

    /// <summary>Whether no complete response arrived: the connection failed, or the timeout passed.</summary>
    internal static bool IsOfNetwork(Exception error, CancellationToken stop) =>
        error switch
        {
            OperationCanceledException => !stop.IsCancellationRequested,
            Azure.RequestFailedException e => e.Status == 0,
            IOException or HttpRequestException => true,
            AggregateException all => all.InnerExceptions.All(i => IsOfNetwork(i, stop)),
            _ => false,
        };

    /// <summary>The statuses that Azure's documentation tells clients to retry.</summary>
    internal static bool IsTransient(int status) => status is 408 or 429 or >= 500;

    private sealed class ClearText : HttpPipelineSynchronousPolicy
    {
        public override void OnSendingRequest(HttpMessage message) => message.Request.Uri.Scheme = Uri.UriSchemeHttp;
    }
}
