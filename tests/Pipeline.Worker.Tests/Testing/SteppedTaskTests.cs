using System.Globalization;
using System.Text;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Testing;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Testing;

/// <summary>Tests of transforms see failures, need no settings of production, and decide when a task reads.</summary>
public sealed class SteppedTaskTests
{
    private const string Configuration = """
        version: 1
        database: { name: shop, path: "${DATA}", encryption: { keyVariable: SHOP_KEY_THAT_NOBODY_SETS } }
        server: { url: "${SERVER_URL}", certificate: { file: "${TLS_FILE}" } }
        secrets: { command: ["/no/such/program"] }
        connections:
          broker: { kafka: { bootstrapServers: "${BROKERS}", saslUsername: "${USER_OF_KAFKA}", saslPassword: "${command:kafka}", sslCaLocation: /no/such/file.pem } }
          mq: { rabbitmq: { uri: "${file:/no/such/secret}" } }
        backups: [{ name: nightly, full: "* * * * * ?", plain: true, to: [{ s3: { endpoint: "${S3}", bucket: "${BUCKET}", accessKey: "${S3_KEY}", secretKey: "${S3_SECRET}" } }] }]
        etl:
          - name: t
            from: [Orders]
            to: broker
            transform: |
              if (doc.N < 0) throw new ArgumentException("negative: " + doc.N);
              if (doc.N > 0) send("orders", doc.N, key: id);
          - { name: skips, from: [Orders], to: mq, onError: skip, transform: 'if (doc.N < 0) throw new Exception("no"); send("x", doc.N);' }
        """;

    private static readonly PipelineTestOptions Options = new()
    {
        Configuration = Configuration,
        Variables = FixedVariables.None,
    };

    [Fact]
    public async Task Variables_and_secrets_of_what_is_not_used_need_not_be_there()
    {
        await using var server = await PipelineTestServer.StartAsync(Options);
        await PutAsync(server, "orders/1", 7);

        Assert.Equal("7", Body(Assert.Single(await server.Etl("t").DrainedAsync())));
        Assert.Empty(server.Worker.Backups.GetStatus());
    }

    [Fact]
    public async Task A_variable_that_matters_must_be_set()
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(() =>
            PipelineTestServer.StartAsync(
                Options with
                {
                    Configuration = Configuration.Replace("to: broker", "to: \"${TARGET}\"", StringComparison.Ordinal),
                }
            )
        );
        Assert.Contains("the variable TARGET is not set", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transform_that_fails_makes_the_wait_throw_unless_failures_are_expected()
    {
        await using var server = await PipelineTestServer.StartAsync(Options);
        await PutAsync(server, "orders/1", 1);
        await PutAsync(server, "orders/2", -2);

        var error = await Assert.ThrowsAnyAsync<Exception>(() => server.Etl("t").DrainedAsync());

        Assert.Matches(
            @"(?s)The ETL task 't' has failures: 1 dead letter\..*orders/2: [^\n]*pipeline\.yaml:14:\d+: [^\n]*negative: -2",
            error.Message
        );
        var outcome = await server.Etl("t").DrainedWithFailuresAsync();
        Assert.Equal(
            ("orders/2", "1"),
            (Assert.Single(outcome.DeadLetters).DocumentId, Body(Assert.Single(outcome.Messages)))
        );
        Assert.Equal(
            1,
            (await Assert.ThrowsAsync<EtlFailuresException>(() => server.Etl("skips").DrainedAsync())).Skipped
        );
        Assert.Equal(1, (await server.Etl("skips").DrainedWithFailuresAsync()).Skipped);
    }

    [Fact]
    public async Task While_a_task_is_paused_writes_of_one_document_collapse_each_time()
    {
        for (var i = 0; i < 10; i++)
        {
            await using var server = await PipelineTestServer.StartAsync(Options with { TasksPaused = true });
            var task = server.Etl("t");
            for (var n = 1; n <= 3; n++)
                await PutAsync(server, "orders/1", n);
            await PutAsync(server, "orders/2", 9);
            Assert.Contains(
                "is paused",
                (await Assert.ThrowsAsync<InvalidOperationException>(() => task.DrainedAsync())).Message,
                StringComparison.Ordinal
            );
            task.Resume();
            Assert.Equal(["3", "9"], (await task.DrainedAsync()).Select(Body));
        }
    }

    [Fact]
    public async Task A_step_is_one_change_with_its_messages()
    {
        await using var server = await PipelineTestServer.StartAsync(Options);
        var task = server.Etl("t");
        await PutAsync(server, "orders/1", 1);
        await task.DrainedAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => task.StepAsync());
        await task.PauseAsync();
        Assert.Null(await task.StepAsync());
        await PutAsync(server, "orders/2", 2);
        await server.Database.PutAsync("others/1", """{"@metadata":{"@collection":"Others"}}"""u8.ToArray());
        await PutAsync(server, "orders/3", 0);
        await PutAsync(server, "orders/4", -4);
        await PutAsync(server, "orders/5", 5);

        Assert.Equal("2", Body(Assert.Single((await task.StepAsync())!)));
        Assert.Empty((await task.StepAsync())!);
        Assert.Equal(
            "orders/4",
            Assert
                .Single((await Assert.ThrowsAsync<EtlFailuresException>(() => task.StepAsync())).DeadLetters)
                .DocumentId
        );
        Assert.Equal("5", Body(Assert.Single((await task.StepAsync())!)));
        Assert.Null(await task.StepAsync());
        await PutAsync(server, "orders/6", 6);
        task.Resume();
        Assert.Equal(["1", "2", "5", "6"], (await task.DrainedWithFailuresAsync()).Messages.Select(Body));
    }

    private static Task<PutResult> PutAsync(PipelineTestServer server, string id, int n) =>
        server.Database.PutAsync(
            id,
            Encoding.UTF8.GetBytes(
                string.Create(CultureInfo.InvariantCulture, $$$"""{"N":{{{n}}},"@metadata":{"@collection":"Orders"}}""")
            )
        );

    private static string Body(OutgoingMessage message) => Encoding.UTF8.GetString(message.Body.Span);
}
