using Azure.Storage.Blobs;
using AzureFunction;
using Microsoft.Azure.Functions.Worker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

await new HostBuilder()
    .ConfigureFunctionsWorkerDefaults()
    .ConfigureServices(services =>
        services
            .AddSingleton(new BlobServiceClient(Environment.GetEnvironmentVariable("AzureWebJobsStorage")))
            .AddSingleton<IBlobs, AzureBlobs>()
            .AddSingleton<OrderHandler>()
    )
    .Build()
    .RunAsync();
