using Akka.Actor;
using Akka.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Persistence.Hosting;
using Pipeline.Database;
using Pipeline.Documents;
using Xunit;

namespace Pipeline.Akka.Tests.Hosting;

public sealed class HostingTests
{
    [Fact]
    public async Task Several_plugins_of_one_system_keep_apart_what_their_databases_have()
    {
        await using var first = DocumentDatabase.Open(new DatabaseOptions { Name = "first" });
        var folder = TestFolders.Make();
        using (
            var host = Start(b =>
                b.WithPipelinePersistence(
                        new PipelinePersistenceOptions
                        {
                            Database = first,
                            Adapters = a => a.AddWriteEventAdapter<ParityTagger>("parity", [typeof(Counter.Added)]),
                        }
                    )
                    .WithPipelinePersistence(
                        new PipelinePersistenceOptions
                        {
                            Name = "tenant-b",
                            Path = folder,
                            IsDefault = false,
                            Documents = null,
                            KeepSnapshots = 1,
                            DeleteEvents = true,
                        }
                    )
            )
        )
        {
            await host.StartAsync();
            var system = host.Services.GetRequiredService<ActorSystem>();
            IActorRef a = system.ActorOf(Counter.Props("same")),
                b = system.ActorOf(Counter.Props("same", "tenant-b"));
            Assert.Equal(1, await a.Ask<int>(1));
            Assert.Equal(3, await a.Ask<int>(2));
            Assert.Equal(10, await b.Ask<int>(10));
            Assert.Equal("saved", await b.Ask<string>("save"));
            var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
            Assert.Equal((HealthStatus.Healthy, 2), (report.Status, report.Entries.Count));
            await host.StopAsync();
        }

        using (var tagged = first.Events.Read(0, Pipeline.Documents.Events.EventFilter.WithTag("even")))
        {
            Assert.Equal([2L], tagged.Select(e => e.SequenceNumber));
        }

        using (var snapshot = first.OpenSnapshot())
        {
            Assert.Equal(
                ["I1", "I2"],
                snapshot.GetByCollection("Events").Select(d => d.Body.Root["Event"]["N"]["$"].GetString())
            );
        }

        await using var second = DocumentDatabase.Open(new DatabaseOptions { Name = "second", Path = folder });
        using var left = second.Events.Read(0);
        Assert.Empty(left);
        Assert.Equal(1, await second.Events.GetHighestSequenceAsync("same"));
    }

    [Fact]
    public async Task A_database_that_cannot_be_opened_fails_the_start_with_its_place()
    {
        var file = Path.Combine(TestFolders.Make(), "file");
        await File.WriteAllTextAsync(file, "no folder");
        using var host = Start(b =>
            b.WithPipelinePersistence(new PipelinePersistenceOptions { Path = file })
                .WithPipelinePersistence(
                    new PipelinePersistenceOptions
                    {
                        Name = "tenant-b",
                        Path = file,
                        IsDefault = false,
                    }
                )
        );
        var e = await Assert.ThrowsAsync<PersistencePlaceException>(() => host.StartAsync());
        Assert.Contains(file, e.Message, StringComparison.Ordinal);
        Assert.NotNull(e.InnerException);
    }

    [Fact]
    public void Options_without_one_place_are_refused()
    {
        Assert.Throws<ArgumentException>(() =>
            Start(b => b.WithPipelinePersistence(new PipelinePersistenceOptions())).Services.GetService<ActorSystem>()
        );
        Assert.Throws<ArgumentException>(() =>
            Start(b =>
                b.WithPipelinePersistence(new PipelinePersistenceOptions { Url = new Uri("http://127.0.0.1:1") })
            )
                .Services.GetService<ActorSystem>()
        );
    }

    private static IHost Start(Action<AkkaConfigurationBuilder> configure)
    {
        var builder = Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddLogging();
        builder.Services.AddAkka("hosted", configure);
        builder.Services.AddHealthChecks().AddPipelinePersistence().AddPipelinePersistence("tenant-b");
        return builder.Build();
    }
}
