namespace Pipeline.TestKit.Services;

/// <summary>The account of Azurite.</summary>
internal static class AzuriteAccount
{
    /// <summary>
    /// Name and key as the emulator's documentation publishes them, as the beginning of a connection string.
    /// </summary>
    public const string ConnectionString =
        "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;";

    /// <summary>What every start needs.</summary>
    public static readonly string[] Arguments = ["--silent", "--skipApiVersionCheck", "--disableTelemetry"];
}
