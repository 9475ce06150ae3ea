using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddPipeline</c>: a worker that lives as long as its application.</summary>
public sealed class HostedWorkerTests
{
    [Fact]
    public async Task A_worker_is_open_for_all_other_services_and_closes_after_them()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddHostedService<OrderWriter>();
        builder.Services.AddPipeline();
        await using (var app = builder.Build())
        {
            await app.StartAsync();
            var worker = app.Services.GetRequiredService<PipelineWorker>();
            Assert.Same(worker.Database, app.Services.GetRequiredService<DocumentDatabase>());
            Assert.Same(worker.Subscriptions, app.Services.GetRequiredService<SubscriptionHost>());
            Assert.True(await worker.DrainAsync("orders"));
            await app.StopAsync();
            Assert.Throws<ObjectDisposedException>(() => worker.Database.OpenSnapshot());
        }
        Assert.Contains("\"Total\":1", Assert.Single(folder.Messages()), StringComparison.Ordinal);

        // What was stored while the host stopped is sent by the next run.
        await using var next = await StartAsync(folder);
        Assert.True(await next.Services.GetRequiredService<PipelineWorker>().DrainAsync("orders"));
        Assert.Equal(2, folder.Messages().Count);
    }

    [Fact]
    public async Task A_scope_has_one_session_and_may_end_without_waiting()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder);
        using (var scope = app.Services.CreateScope())
        {
            var session = scope.ServiceProvider.GetRequiredService<IDocumentSession>();
            Assert.Same(session, scope.ServiceProvider.GetRequiredService<IDocumentSession>());
            session.Store(new Order { Total = 3 }, "orders/a");
            await session.SaveChangesAsync();
        }
        await using var other = app.Services.CreateAsyncScope();
        Assert.Equal(
            3,
            (await other.ServiceProvider.GetRequiredService<IDocumentSession>().LoadAsync<Order>("orders/a"))!.Total
        );
    }

    [Fact]
    public async Task Before_the_start_the_store_can_be_injected_and_all_else_says_why_it_is_not_there()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        var store = app.Services.GetRequiredService<IDocumentStore>();
        foreach (
            var use in (Action[])
                [
                    () => app.Services.GetRequiredService<PipelineWorker>(),
                    () => app.Services.GetRequiredService<DocumentDatabase>(),
                    () => app.Services.GetRequiredService<SubscriptionHost>(),
                    () => store.OpenSession(),
                ]
        )
        {
            Assert.Equal(
                "The Pipeline worker of 'pipeline.yaml' is not open yet: the host opens it when it starts. Inject IDocumentStore, or resolve this service after the start",
                Assert.Throws<InvalidOperationException>(use).Message
            );
        }

        await app.StartAsync();
        await using var session = store.OpenSession();
        Assert.Null(await session.LoadAsync<Order>("orders/none"));
    }

    [Fact]
    public async Task A_fault_of_the_configuration_fails_the_start_with_its_place()
    {
        using var folder = new HostFolder(
            """
            version: 1
            database: { name: shop, path: ./data }
            etl:
              - { name: t, form: [Orders] }

            """
        );
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => app.StartAsync());
        Assert.Contains("pipeline.yaml:4:16: ", error.Message, StringComparison.Ordinal);
        Assert.Contains("form", error.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder["data"]));
    }

    [Fact]
    public async Task Options_come_from_the_hosts_configuration_and_code_wins()
    {
        using var folder = new HostFolder();
        folder.Write(
            "other.yaml",
            HostFolder.Yaml.Replace("name: shop", "name: \"${NAME}-${REGION}-${KIND:none}\"", StringComparison.Ordinal)
        );
        var builder = folder.NewBuilder(
            ("Pipeline:ConfigurationFile", "other.yaml"),
            ("Pipeline:InMemory", "true"),
            ("Pipeline:DataFolder", "never"),
            ("Pipeline:Variables:NAME", "shop"),
            ("NAME", "not-this"),
            ("REGION", "eu")
        );
        builder.Services.AddPipeline(configure: o => o.DataFolder = null);
        await using var app = builder.Build();
        await app.StartAsync();
        Assert.Equal("shop-eu-none", app.Services.GetRequiredService<PipelineWorker>().Configuration.Database.Name);
        Assert.False(Directory.Exists(folder["data"]));
        Assert.False(Directory.Exists(folder["never"]));
    }

    [Theory]
    [InlineData("Pipeline:Listens", "Pipeline:Listens")]
    [InlineData(
        "Pipeline:Listen",
        "Pipeline:Listen of the host's configuration is not an option; options are: ConfigurationFile, DataFolder, InMemory, Listens, Variables"
    )]
    [InlineData("Pipeline:second:InMemory", "Pipeline:second:InMemory")]
    [InlineData(
        "Pipeline:second:Memory",
        "Pipeline:second:Memory of the host's configuration is not an option; options are: "
    )]
    [InlineData(
        "Pipeline:cache:Listens",
        "Pipeline:cache:Listens of the host's configuration is not an option; options are: DataFolder, InMemory"
    )]
    public async Task A_value_or_a_name_that_is_no_option_is_named(string key, string problem)
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder((key, "perhaps"));
        builder
            .Services.AddPipeline()
            .AddKeyedPipeline("second", configure: o => o.InMemory = true)
            .AddPipelineDatabase("cache", null);
        await using var app = builder.Build();
        Assert.Contains(
            problem,
            (await Assert.ThrowsAsync<InvalidOperationException>(() => app.StartAsync())).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_stop_in_the_middle_of_a_task_is_prompt_and_the_next_run_sends_the_rest_once()
    {
        const int Count = 3_000;
        using var folder = new HostFolder();
        await using (var app = await StartAsync(folder))
        {
            var database = app.Services.GetRequiredService<DocumentDatabase>();
            var batch = new DocumentBatch();
            for (var i = 0; i < Count; i++)
            {
                batch.Put(
                    $"orders/{i}",
                    System.Text.Encoding.UTF8.GetBytes($$$"""{"Total":{{{i}}},"@metadata":{"@collection":"Orders"} }""")
                );
            }

            await database.ExecuteAsync(batch, CancellationToken.None);
            await app.StopAsync();
        }
        await using var next = await StartAsync(folder);
        Assert.True(await next.Services.GetRequiredService<PipelineWorker>().DrainAsync("orders"));
        Assert.Equal(Count, folder.Messages().Count);
        Assert.Equal(Count, folder.Messages().Distinct().Count());
    }

    [Fact]
    public async Task Workers_with_keys_have_their_own_services_and_options()
    {
        using var folder = new HostFolder();
        folder.Write(
            "second.yaml",
            HostFolder
                .Yaml.Replace("name: shop", "name: archive", StringComparison.Ordinal)
                .Replace("./out", "./out2", StringComparison.Ordinal)
        );
        var builder = folder.NewBuilder(("Pipeline:second:DataFolder", "data2"));
        builder.Services.AddKeyedPipeline("first").AddKeyedPipeline("second", "second.yaml");
        Assert.Contains(
            "'first'",
            Assert.Throws<InvalidOperationException>(() => builder.Services.AddKeyedPipeline("first")).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "Pipeline:listens is an option",
            Assert.Throws<ArgumentException>(() => builder.Services.AddKeyedPipeline("listens")).Message,
            StringComparison.Ordinal
        );
        await using var app = builder.Build();
        await app.StartAsync();
        Assert.Null(app.Services.GetService<PipelineWorker>());
        Assert.Equal("shop", app.Services.GetRequiredKeyedService<DocumentDatabase>("first").Name);
        await using (var scope = app.Services.CreateAsyncScope())
        {
            var session = scope.ServiceProvider.GetRequiredKeyedService<IDocumentSession>("second");
            session.Store(new Order { Total = 4 });
            await session.SaveChangesAsync();
        }
        Assert.True(await app.Services.GetRequiredKeyedService<PipelineWorker>("second").DrainAsync("orders"));
        Assert.Empty(folder.Messages());
        Assert.Single(folder.Messages("out2"));
        Assert.True(Directory.Exists(folder["data2"]));
    }

    [Fact]
    public void A_second_worker_without_a_key_is_refused()
    {
        var services = new ServiceCollection();
        services.AddPipeline();
        Assert.Contains(
            "AddKeyedPipeline",
            Assert.Throws<InvalidOperationException>(() => services.AddPipeline("other.yaml")).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_run_that_fails_stops_the_application()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        var ends = new CancellationTokenSource();

        // Its tasks run already, so they cannot be started again.
        builder.Services.AddSingleton<IHostedService>(services => new AtStart(stopped =>
        {
            _ = services.GetRequiredService<PipelineWorker>().RunAsync(ends.Token);
            return Task.CompletedTask;
        }));
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        var stopping = new TaskCompletionSource();
        app.Lifetime.ApplicationStopping.Register(stopping.SetResult);
        _ = await Record.ExceptionAsync(() => app.StartAsync());
        await stopping.Task.WaitAsync(TimeSpan.FromSeconds(60));
        await ends.CancelAsync();
    }

    [Fact]
    public async Task After_a_start_that_failed_elsewhere_the_worker_is_closed_with_the_services()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        builder.Services.AddSingleton<IHostedService>(new AtStart(_ => throw new InvalidDataException("not today")));
        await using (var app = builder.Build())
            await Assert.ThrowsAsync<InvalidDataException>(() => app.StartAsync());
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = folder["data"] });
        Assert.Equal("database", database.Name);
    }

    private static async Task<WebApplication> StartAsync(HostFolder folder)
    {
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        var app = builder.Build();
        await app.StartAsync();
        return app;
    }
}
