namespace Quickstart;

/// <summary>Turns <c>--kafka ENDPOINT</c> and the like into the variables that pipeline.yaml reads.</summary>
internal static class Targets
{
    public const string Usage =
        "usage: dotnet run --project samples/Quickstart [-- --kafka HOST:PORT | --rabbitmq URI | --azure-queue CONNECTION-STRING-OR-URL]";

    // The account that every Azurite has; it is public and opens nothing else.
    private const string AzuriteAccount = "devstoreaccount1";
    private const string AzuriteKey =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    /// <summary>The variables, or <see langword="null"/> if the arguments are unknown.</summary>
    public static Dictionary<string, string>? Read(string[] arguments) =>
        arguments switch
        {
            [] => new() { ["TARGET"] = "files" },
            ["--kafka", var endpoint] => new() { ["TARGET"] = "kafka", ["KAFKA"] = endpoint },
            ["--rabbitmq", var uri] => new()
            {
                ["TARGET"] = "rabbit",
                ["RABBITMQ_URI"] = uri.Contains("://") ? uri : $"amqp://guest:guest@{uri}",
            },
            ["--azure-queue", var endpoint] => new()
            {
                ["TARGET"] = "queues",
                ["AZURE_STORAGE_CONNECTION_STRING"] = ConnectionString(endpoint),
            },
            _ => null,
        };

    private static string ConnectionString(string endpoint)
    {
        if (!endpoint.StartsWith("http"))
            return endpoint;
        var url = endpoint.TrimEnd('/');
        if (!url.EndsWith(AzuriteAccount))
            url += "/" + AzuriteAccount;
        return $"DefaultEndpointsProtocol={url.Split(':')[0]};AccountName={AzuriteAccount};AccountKey={AzuriteKey};QueueEndpoint={url};";
    }
}
