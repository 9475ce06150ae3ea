using Pipeline.AzureStorage;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Configuration;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

public sealed class AzureConnectionStringTests
{
    [Theory]
    [InlineData(
        "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=aGVq;EndpointSuffix=core.windows.net",
        "https://shop.blob.core.windows.net"
    )]
    [InlineData("AccountName=shop;AccountKey=aGVq;", "https://shop.blob.core.windows.net")]
    [InlineData(
        "AccountName=shop;AccountKey=aGVq;BlobEndpoint=http://127.0.0.1:10000/shop/",
        "http://127.0.0.1:10000/shop"
    )]
    [InlineData(
        "AccountName=shop;AccountKey=aGVq;QueueEndpoint=http://127.0.0.1:10001/shop/",
        "https://shop.blob.core.windows.net"
    )]
    [InlineData(
        "BlobEndpoint=https://shop.blob.core.windows.net/;SharedAccessSignature=?sv=2022&sig=a%3D",
        "https://shop.blob.core.windows.net"
    )]
    [InlineData("usedevelopmentstorage=true", "http://127.0.0.1:10000/devstoreaccount1")]
    [InlineData(
        "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://azurite",
        "http://azurite:10000/devstoreaccount1"
    )]
    public async Task Connection_strings_are_read_as_other_programs_read_them(string text, string blobs)
    {
        Assert.Null(AzureConnectionString.FindFault(text, AzureConnectionString.Blob));
        await using var destination = new AzureBlobDefinition("backups") { ConnectionString = text }.Create(
            "nightly",
            TimeProvider.System
        );
        Assert.Equal($"azureBlob {blobs}/backups/nightly", destination.Description);
    }

    [Theory]
    [InlineData("", "needs AccountName or QueueEndpoint")]
    [InlineData("secret", "is not a connection string")]
    [InlineData("AccountNam=shop;AccountKey=secret", "is not a connection string")]
    [InlineData("AccountName=shop", "needs AccountKey or SharedAccessSignature")]
    [InlineData("AccountName=shop;AccountKey=secret!", "has an AccountKey that is not Base64")]
    [InlineData("AccountName=shop;AccountKey=aGVq;AccountKey=secret", "has AccountKey twice")]
    [InlineData(
        "AccountName=shop;AccountKey=aGVq;SharedAccessSignature=secret",
        "has AccountKey and SharedAccessSignature; leave one of them out"
    )]
    [InlineData("QueueEndpoint=https://secret.example;AccountKey=aGVq", "needs AccountName with AccountKey")]
    [InlineData(
        "BlobEndpoint=https://secret.example;SharedAccessSignature=secret",
        "needs AccountName or QueueEndpoint"
    )]
    [InlineData(
        "AccountName=shop;AccountKey=aGVq;QueueEndpoint=secret",
        "has a QueueEndpoint that is not an http or https address"
    )]
    public void What_is_wrong_is_told_without_values(string text, string expected)
    {
        var fault = AzureConnectionString.FindFault(text, AzureConnectionString.Queue);
        Assert.Contains(expected, fault);
        Assert.DoesNotContain("secret", fault);
    }

    [Theory]
    [InlineData("http://azurite:10000/devstoreaccount1", true)]
    [InlineData("http://127.0.0.1:7000/devstoreaccount1", true)]
    [InlineData("http://localhost:7000/devstoreaccount1", false)]
    [InlineData("http://azurite:7000/devstoreaccount1", false)]
    public void An_account_in_the_path_is_a_fault_where_Azures_library_takes_it_for_a_container(
        string endpoint,
        bool good
    )
    {
        var fault = AzureConnectionString.FindFault(
            $"AccountName=a;AccountKey=aGVq;BlobEndpoint={endpoint}",
            AzureConnectionString.Blob
        );
        Assert.Equal(
            good
                ? null
                : "has a BlobEndpoint that must have no path: an account's name may stand there only behind an IP address or a port from 10000 to 10004",
            fault
        );
    }

    [Theory]
    [InlineData(
        "connectionString: AccountName=shop",
        "p.yaml:5:45: the connection string needs AccountKey or SharedAccessSignature"
    )]
    [InlineData(
        "endpoint: 'http://shop.example'",
        "p.yaml:5:37: the endpoint must begin with https://, because an intercepted token can be used; http:// is for this machine only"
    )]
    public void A_backup_finds_them_before_it_runs(string option, string expected)
    {
        var yaml = $$"""
            version: 1
            database: { name: a, path: . }
            backups:
              - name: nightly
                to: { azureBlob: { container: c, {{option}} } }

            """;
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "p.yaml", FixedVariables.None)
        );
        Assert.Contains(expected.Split(": ", 2)[1], Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_program_that_makes_one_gets_the_same_words()
    {
        var error = Assert.Throws<BackupException>(() =>
            new AzureBlobDefinition("c") { ConnectionString = "AccountName=shop" }.Create("n", TimeProvider.System)
        );
        Assert.Equal("azureBlob: the connection string needs AccountKey or SharedAccessSignature.", error.Message);
    }
}
