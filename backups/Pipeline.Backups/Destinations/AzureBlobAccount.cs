namespace Pipeline.Backups.Destinations;

/// <summary>A storage account's blob service as a connection string names it. Its text never shows the key.</summary>
/// <param name="Name">The account's name.</param>
/// <param name="Key">The account's key, where requests are signed.</param>
/// <param name="Signature">The shared access signature, where there is one instead.</param>
/// <param name="Blobs">The blob service's address, without a slash at the end.</param>
internal sealed record AzureBlobAccount(string Name, byte[]? Key, string? Signature, string Blobs)
{
    /// <summary>The emulator's account, as its documentation publishes it.</summary>
    private const string Development =
        "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1";

    /// <summary>Reads a connection string; a fault names keys, never values.</summary>
    /// <exception cref="BackupException">It is none.</exception>
    public static AzureBlobAccount Parse(string text)
    {
        var values = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var part in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            var equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0)
                throw Fault("is made of parts such as AccountName=…;AccountKey=… with a semicolon between them");
            values[part[..equals].Trim()] = part[(equals + 1)..].Trim();
        }
        if (string.Equals(values.GetValueOrDefault("UseDevelopmentStorage"), "true", StringComparison.OrdinalIgnoreCase))
            return Parse(Development);
        var name = values.GetValueOrDefault("AccountName");
        if (!values.TryGetValue("BlobEndpoint", out var endpoint))
            endpoint = string.IsNullOrEmpty(name) ? throw Fault("needs AccountName or BlobEndpoint")
                : $"{values.GetValueOrDefault("DefaultEndpointsProtocol", "https")}://{name}.blob.{values.GetValueOrDefault("EndpointSuffix", "core.windows.net")}";
        if (!Uri.TryCreate(endpoint, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
            throw Fault("has a BlobEndpoint that is no http or https address");
        byte[]? key = null;
        if (values.TryGetValue("AccountKey", out var encoded))
        {
            key = new byte[encoded.Length];
            key = Convert.TryFromBase64String(encoded, key, out var length) && length > 0 ? key[..length] : throw Fault("has an AccountKey that is not Base64");
            if (string.IsNullOrEmpty(name))
                throw Fault("needs AccountName with AccountKey");
        }
        var signature = values.GetValueOrDefault("SharedAccessSignature")?.TrimStart('?');
        if (key is null && string.IsNullOrEmpty(signature))
            throw Fault("needs AccountKey or SharedAccessSignature");
        return new AzureBlobAccount(name ?? uri.Host.Split('.')[0], key, key is null ? signature : null, endpoint.TrimEnd('/'));
    }

    /// <inheritdoc/>
    public override string ToString() => Blobs;

    private static BackupException Fault(string what) => new($"azureBlob: the connection string {what}.");
}
