using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Backups.Destinations;

/// <summary>A storage account's services as a connection string names them. Immutable. Its text never shows the key.</summary>
/// <param name="Name">The account's name.</param>
/// <param name="Key">The account's key, where requests are signed.</param>
/// <param name="Signature">The shared access signature without its question mark, where there is one instead.</param>
/// <param name="Queues">The queue service's address, without a slash at the end; empty where it is not known.</param>
/// <param name="Blobs">The blob service's address, without a slash at the end; <see langword="null"/> where it is not known.</param>
internal sealed record AzureStorageAccount(string Name, byte[]? Key, string? Signature, string Queues, string? Blobs = null)
{
    /// <summary>The emulator's account, as its documentation publishes it.</summary>
    private const string Development =
        "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
        + "QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1";

    private static readonly string[] KnownKeys =
    [
        "UseDevelopmentStorage", "DevelopmentStorageProxyUri", "DefaultEndpointsProtocol", "AccountName", "AccountKey", "SharedAccessSignature", "EndpointSuffix",
        "QueueEndpoint", "BlobEndpoint", "TableEndpoint", "FileEndpoint", "QueueSecondaryEndpoint", "BlobSecondaryEndpoint", "TableSecondaryEndpoint", "FileSecondaryEndpoint",
    ];

    /// <summary>What queues are reached by, as connection strings call it.</summary>
    internal const string QueueService = "Queue";

    /// <summary>What blobs are reached by, as connection strings call it.</summary>
    internal const string BlobService = "Blob";

    /// <summary>Reads a connection string. The fault names keys, never values.</summary>
    /// <param name="text">The connection string.</param>
    /// <param name="account">The account, which has the address of the service.</param>
    /// <param name="fault">What is wrong with the text, to follow its name.</param>
    /// <param name="service">Whose address there must be.</param>
    internal static bool TryParse(string text, [NotNullWhen(true)] out AzureStorageAccount? account, out string fault, string service = QueueService)
    {
        account = null;
        var values = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var part in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            var equals = part.IndexOf('=', StringComparison.Ordinal);
            var key = equals < 0 ? "" : part[..equals].Trim();
            if (!KnownKeys.Contains(key, StringComparer.OrdinalIgnoreCase))
            {
                fault = "is not a connection string: it is made of parts such as AccountName=…;AccountKey=… with a semicolon between them";
                return false;
            }

            values[key] = part[(equals + 1)..].Trim();
        }

        if (string.Equals(values.GetValueOrDefault("UseDevelopmentStorage"), "true", StringComparison.OrdinalIgnoreCase))
        {
            var emulator = TryParse(Development, out account, out fault, service);
            if (emulator && values.TryGetValue("DevelopmentStorageProxyUri", out var proxy) && Uri.TryCreate(proxy, UriKind.Absolute, out var at))
                account = account! with { Queues = $"{at.Scheme}://{at.Host}:10001/devstoreaccount1", Blobs = $"{at.Scheme}://{at.Host}:10000/devstoreaccount1" };
            return emulator;
        }

        return TryMake(values, service, out account, out fault);
    }

    /// <inheritdoc/>
    public override string ToString() => Queues.Length > 0 ? Queues : Blobs ?? "";

    private static bool TryMake(Dictionary<string, string> values, string service, out AzureStorageAccount? account, out string fault)
    {
        account = null;
        var name = values.GetValueOrDefault("AccountName");
        var endpoint = values.GetValueOrDefault(service + "Endpoint") ?? (string.IsNullOrEmpty(name) ? null : AddressOf(values, name, service));
        if (endpoint is null)
        {
            fault = $"needs AccountName or {service}Endpoint";
            return false;
        }

        if (!Uri.TryCreate(endpoint, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
        {
            fault = $"has a {service}Endpoint that is no http or https address";
            return false;
        }

        byte[]? key = null;
        var signature = values.GetValueOrDefault("SharedAccessSignature")?.TrimStart('?');
        if (values.TryGetValue("AccountKey", out var encoded))
        {
            key = new byte[encoded.Length];
            if (!Convert.TryFromBase64String(encoded, key, out var length) || length == 0)
            {
                fault = "has an AccountKey that is not Base64";
                return false;
            }

            key = key[..length];
        }

        if (key is null && string.IsNullOrEmpty(signature))
        {
            fault = "needs AccountKey or SharedAccessSignature";
            return false;
        }

        if (key is not null && string.IsNullOrEmpty(name))
        {
            fault = "needs AccountName with AccountKey";
            return false;
        }

        account = new AzureStorageAccount(
            name ?? uri.Host.Split('.')[0], key, key is null ? signature : null,
            service == QueueService ? endpoint.TrimEnd('/') : OtherOf(values, name, QueueService) ?? "",
            service == BlobService ? endpoint.TrimEnd('/') : OtherOf(values, name, BlobService));
        fault = "";
        return true;
    }

    /// <summary>The address of a service that need not be there: where one address is given, others do not follow from the name.</summary>
    private static string? OtherOf(Dictionary<string, string> values, string? name, string service)
    {
        if (values.TryGetValue(service + "Endpoint", out var endpoint)) return endpoint.TrimEnd('/');
        return values.ContainsKey("QueueEndpoint") || values.ContainsKey("BlobEndpoint") || string.IsNullOrEmpty(name) ? null : AddressOf(values, name, service);
    }

    private static string AddressOf(Dictionary<string, string> values, string name, string service) =>
        $"{values.GetValueOrDefault("DefaultEndpointsProtocol", "https")}://{name}.{service.ToLowerInvariant()}.{values.GetValueOrDefault("EndpointSuffix", "core.windows.net")}";
}
