using Pipeline.Backups.Destinations;
using Pipeline.Etl.Connectors.AzureQueues;
using Xunit;

namespace Pipeline.Tests.Etl.Connectors.AzureQueues;

public sealed class AzureStorageAccountTests
{
    [Theory]
    [InlineData("DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=aGVq;EndpointSuffix=core.windows.net", "https://shop.queue.core.windows.net", "shop")]
    [InlineData("AccountName=shop;AccountKey=aGVq;", "https://shop.queue.core.windows.net", "shop")]
    [InlineData("AccountName=shop;AccountKey=aGVq;QueueEndpoint=http://127.0.0.1:10001/shop/", "http://127.0.0.1:10001/shop", "shop")]
    [InlineData("QueueEndpoint=https://shop.queue.core.windows.net/;SharedAccessSignature=?sv=2022&sig=a%3D", "https://shop.queue.core.windows.net", "shop")]
    [InlineData("usedevelopmentstorage=true", "http://127.0.0.1:10001/devstoreaccount1", "devstoreaccount1")]
    public void Connection_strings_are_read(string text, string queues, string name)
    {
        Assert.True(AzureStorageAccount.TryParse(text, out var account, out _));
        Assert.Equal(queues, account.Queues);
        Assert.Equal(name, account.Name);
        Assert.True(account.Key is null ^ account.Signature is null);
        Assert.Equal(queues, account.ToString());
    }

    [Theory]
    [InlineData("AccountName=shop;AccountKey=aGVq", "https://shop.blob.core.windows.net", "https://shop.queue.core.windows.net")]
    [InlineData("AccountName=shop;AccountKey=aGVq;BlobEndpoint=http://127.0.0.1:10000/shop/", "http://127.0.0.1:10000/shop", "")]
    [InlineData("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://azurite", "http://azurite:10000/devstoreaccount1", "http://azurite:10001/devstoreaccount1")]
    public void Blobs_have_an_address_of_their_own(string text, string blobs, string queues)
    {
        Assert.True(AzureStorageAccount.TryParse(text, out var account, out _, AzureStorageAccount.BlobService));
        Assert.Equal((blobs, queues), (account.Blobs, account.Queues));
        Assert.False(AzureStorageAccount.TryParse("QueueEndpoint=https://q.example;SharedAccessSignature=s", out _, out var fault, AzureStorageAccount.BlobService));
        Assert.Equal("needs AccountName or BlobEndpoint", fault);
    }

    [Theory]
    [InlineData("", "needs AccountName or QueueEndpoint")]
    [InlineData("secret", "is not a connection string")]
    [InlineData("AccountNam=shop;AccountKey=secret", "is not a connection string")]
    [InlineData("AccountName=shop", "needs AccountKey or SharedAccessSignature")]
    [InlineData("AccountName=shop;AccountKey=secret!", "has an AccountKey that is not Base64")]
    [InlineData("QueueEndpoint=https://secret.example;AccountKey=aGVq", "needs AccountName with AccountKey")]
    [InlineData("AccountName=shop;AccountKey=aGVq;QueueEndpoint=secret", "has a QueueEndpoint that is no http or https address")]
    public void What_is_wrong_is_told_without_values(string text, string expected)
    {
        Assert.False(AzureStorageAccount.TryParse(text, out _, out var fault));
        Assert.Contains(expected, fault);
        Assert.DoesNotContain("secret", fault);
    }

    [Theory]
    [InlineData("orders", true)]
    [InlineData("big-orders-2", true)]
    [InlineData("ab", false)]
    [InlineData("Orders", false)]
    [InlineData("-orders", false)]
    [InlineData("orders-", false)]
    [InlineData("big--orders", false)]
    [InlineData("ordrer_æ", false)]
    public void Queue_names_follow_the_services_rules(string name, bool good) => Assert.Equal(good, AzureQueuesSink.FindNameFault(name) is null);
}
