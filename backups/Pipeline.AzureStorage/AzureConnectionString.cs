namespace Pipeline.AzureStorage;

/// <summary>
/// Finds errors in a storage account's connection string before Azure's library reads it. An error names keys, never
/// values.
/// </summary>
internal static class AzureConnectionString
{
    /// <summary>The queue service, as it appears in keys of a connection string.</summary>
    internal const string Queue = "Queue";

    /// <summary>The blob service, as it appears in keys of a connection string.</summary>
    internal const string Blob = "Blob";

    private static readonly string[] KnownKeys =
    [
        "UseDevelopmentStorage",
        "DevelopmentStorageProxyUri",
        "DefaultEndpointsProtocol",
        "AccountName",
        "AccountKey",
        "SharedAccessSignature",
        "EndpointSuffix",
        "QueueEndpoint",
        "BlobEndpoint",
        "TableEndpoint",
        "FileEndpoint",
        "QueueSecondaryEndpoint",
        "BlobSecondaryEndpoint",
        "TableSecondaryEndpoint",
        "FileSecondaryEndpoint",
    ];

    /// <summary>
    /// What is wrong with the text, to follow its name; <see langword="null"/> if a client of the service can use it.
    /// </summary>
    /// <param name="text">The connection string.</param>
    /// <param name="service"><see cref="Queue"/> or <see cref="Blob"/>.</param>
    internal static string? FindFault(string text, string service)
    {
        var values = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var part in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            var equals = part.IndexOf('=', StringComparison.Ordinal);
            var key = equals < 0 ? "" : part[..equals].Trim();
            if (!KnownKeys.Contains(key, StringComparer.OrdinalIgnoreCase))
                return "is not a connection string: it is made of parts such as AccountName=…;AccountKey=… with a semicolon between them";
            if (!values.TryAdd(key, part[(equals + 1)..].Trim()))
                return $"has {key} twice; leave one of them out";
        }

        return string.Equals(
            values.GetValueOrDefault("UseDevelopmentStorage"),
            "true",
            StringComparison.OrdinalIgnoreCase
        )
            ? null
            : FindFault(values, service);
    }

    /// <summary>
    /// Whether the text gives the address of one service but not of the other. The other address then must not default
    /// to Azure's public one, since the first may be an emulator's.
    /// </summary>
    internal static bool HasOnly(string text, string service, string other) =>
        Names(text, service) && !Names(text, other);

    private static bool Names(string text, string service) =>
        text.Split(';', StringSplitOptions.TrimEntries)
            .Any(p => p.StartsWith(service + "Endpoint", StringComparison.OrdinalIgnoreCase));

    private static string? FindFault(Dictionary<string, string> values, string service)
    {
        var name = values.GetValueOrDefault("AccountName");
        if (values.TryGetValue(service + "Endpoint", out var endpoint))
        {
            if (!Uri.TryCreate(endpoint, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
                return $"has a {service}Endpoint that is not an http or https address";
            if (service == Blob && AzureStorageAccess.FindPathFault(uri) is { } path)
                return $"has a BlobEndpoint that {path}";
        }
        else if (string.IsNullOrEmpty(name))
        {
            return $"needs AccountName or {service}Endpoint";
        }

        if (values.TryGetValue("AccountKey", out var key))
        {
            if (key.Length == 0 || !Convert.TryFromBase64String(key, new byte[key.Length], out _))
                return "has an AccountKey that is not Base64";
            if (string.IsNullOrEmpty(name))
                return "needs AccountName with AccountKey";
            return values.ContainsKey("SharedAccessSignature")
                ? "has AccountKey and SharedAccessSignature; leave one of them out"
                : null;
        }

        return string.IsNullOrEmpty(values.GetValueOrDefault("SharedAccessSignature"))
            ? "needs AccountKey or SharedAccessSignature"
            : null;
    }
}
