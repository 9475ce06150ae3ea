using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Identity;

namespace Pipeline.Backups.Destinations;

/// <summary>Access to a storage account by an identity of Microsoft Entra ID in place of a key: who asks, and the tokens on requests. Thread-safe.</summary>
internal static class AzureStorageIdentity
{
    /// <summary>What tokens are asked for: any storage account that the identity has a role in.</summary>
    internal const string Scope = "https://storage.azure.com/.default";

    private const string Clear = "pipeline-clear";

    /// <summary>The credentials that Azure.Identity finds: environment, workload, managed identity, tools.</summary>
    /// <param name="clientId">The user-assigned identity; <see langword="null"/> for the one that the environment names, or the system's.</param>
    internal static TokenCredential Find(string? clientId = null) => clientId is null
        ? new DefaultAzureCredential()
        : new DefaultAzureCredential(new DefaultAzureCredentialOptions { ManagedIdentityClientId = clientId, WorkloadIdentityClientId = clientId });

    /// <summary>Puts a token on each try of a request; Azure.Core keeps it, gets the next one before it expires, and one that answers the service's challenge.</summary>
    /// <remarks>Azure.Core sends tokens over TLS only; what stays on this machine (an emulator, a side-car) may do without.</remarks>
    internal static HttpPipelinePolicy[] PoliciesOf(TokenCredential credential) => [new Outer(), new BearerTokenAuthenticationPolicy(credential, Scope), new Inner()];

    /// <summary>Whether an error says that no token was to be had.</summary>
    internal static bool IsFault(Exception error) => error is AuthenticationFailedException or AggregateException { InnerExceptions: [.., AuthenticationFailedException] };

    /// <summary>Has Azure.Core take a request to this machine for one over TLS.</summary>
    private sealed class Outer : HttpPipelineSynchronousPolicy
    {
        public override void OnSendingRequest(HttpMessage message)
        {
            var uri = message.Request.Uri;
            if (uri.Scheme != Uri.UriSchemeHttp || !uri.ToUri().IsLoopback) return;
            message.SetProperty(Clear, true);
            uri.Scheme = Uri.UriSchemeHttps;
        }
    }

    /// <summary>Gives such a request its own scheme back once it has its token.</summary>
    private sealed class Inner : HttpPipelineSynchronousPolicy
    {
        public override void OnSendingRequest(HttpMessage message)
        {
            if (message.TryGetProperty(Clear, out _)) message.Request.Uri.Scheme = Uri.UriSchemeHttp;
        }
    }
}
