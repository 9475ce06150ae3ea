using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.Yaml;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>
/// The standard of etl/CONNECTORS.md, which every connector in the catalogue is held to; a new one is found by itself
/// and must bring a target.
/// </summary>
[Collection(ConformanceCollection.Name)]
public sealed class ConnectorConformanceTests(ConformanceTargets targets, ITestOutputHelper output)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    public static TheoryData<string> Kinds => [.. ConnectorCatalog.BuiltIn.Definitions.Select(d => d.Kind)];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void It_describes_itself(string kind)
    {
        var definition = ConnectorCatalog.BuiltIn.Find(kind)!;
        Assert.Matches("^[a-z][A-Za-z0-9]*$", definition.Kind);
        Assert.EndsWith(".", definition.Summary, StringComparison.Ordinal);
        var properties = definition.OptionsType.GetProperties(BindingFlags.Public | BindingFlags.Instance);
        Assert.NotEmpty(properties);
        foreach (var property in properties)
        {
            var setting = property.GetCustomAttribute<SettingAttribute>();
            Assert.True(setting is { Help.Length: > 10 }, $"{kind}: {property.Name} has no help text");
            if (
                property.Name.Contains("Password", StringComparison.Ordinal)
                || property.Name.Contains("ConnectionString", StringComparison.Ordinal)
            )
            {
                Assert.True(setting.Secret, $"{kind}: {property.Name} is not marked as secret");
            }
        }

        Assert.Contains(
            $"### `{kind}`",
            ConfigurationReference.ToMarkdown(ConnectorCatalog.BuiltIn),
            StringComparison.Ordinal
        );
        Assert.Contains($"\"{kind}\"", ConfigurationSchema.ToJson(ConnectorCatalog.BuiltIn), StringComparison.Ordinal);
    }

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task It_sends_confirms_refuses_and_closes(string kind)
    {
        var target = await targets.UseAsync(kind);
        await using var connector = Connector(target);
        await connector.CheckHealthAsync(CancellationToken.None);
        await using var sink = Sinks.Sink(connector, databaseId: Guid.NewGuid().ToString("N"));
        var remembered = await sink.ConnectAsync(CancellationToken.None);
        Assert.True(remembered is null or 0, "a new task has no position");
        var (one, two) = (target.NewDestination(), target.NewDestination());
        List<OutgoingMessage> messages =
        [
            .. Messages.Many(one, 300),
            .. Messages.Many(two, 50).Select(m => Moved(m, 300)),
        ];
        Assert.All(messages, m => Assert.Null(sink.FindFault(m)));

        var large = Messages.Make(one, 1, body: "\"" + new string('x', target.OversizeBytes) + "\"");
        Assert.NotNull(sink.FindFault(large));
        Assert.True(sink.IsOversize(large));
        Assert.NotNull(sink.FindFault(Messages.Make("", 1)));

        Assert.Empty(await sink.SendAsync(new MessageBatch([], 1), CancellationToken.None));
        Assert.Empty(await sink.SendAsync(Messages.Batch(messages), CancellationToken.None));
        var beside = Messages.Make(one, 7, "key-0", """{"n":7,"again":true}""");
        Assert.Empty(
            await sink.SendAsync(new MessageBatch([beside], 350) { LeavesPosition = true }, CancellationToken.None)
        );
        var position = await sink.ConnectAsync(CancellationToken.None);
        if (remembered is not null)
            Assert.Equal(350, position);

        var read = await target.ReadAsync(one);
        Assert.Equal(301, read.Count);
        Assert.Equal(
            messages.Take(300).Select(m => m.Id).Append(beside.Id).Order(StringComparer.Ordinal),
            read.Select(r => r.Id).Order(StringComparer.Ordinal)
        );
        var bodies = messages.Take(300).ToDictionary(m => m.Id, m => Encoding.UTF8.GetString(m.Body.Span));
        foreach (var (id, body) in read.Where(r => !r.Body.Contains("again", StringComparison.Ordinal)))
            Assert.True(JsonNode.DeepEquals(JsonNode.Parse(bodies[id]), JsonNode.Parse(body)), $"{id}: {body}");
        AssertOrderPerKey(read.Where(r => !r.Body.Contains("again", StringComparison.Ordinal)));
        Assert.Equal(50, (await target.ReadAsync(two)).Count);
    }

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task What_the_target_refuses_comes_back_with_its_reason_and_the_others_arrive(string kind)
    {
        var target = await targets.UseAsync(kind);
        var destination = target.NewDestination();
        if (await target.PrepareRefusalAsync(destination) is not { } refusal)
            return;
        await using var connector = Connector(target, refusal.Options);
        await using var sink = Sinks.Sink(connector, databaseId: Guid.NewGuid().ToString("N"));
        await sink.ConnectAsync(CancellationToken.None);
        var messages = Messages.Many(destination, 40);
        foreach (var refused in (int[])[10, 30])
            messages[refused - 1] = refusal.Make(refused);
        Assert.All(messages, m => Assert.Null(sink.FindFault(m)));
        List<MessageFailure> stored = [];
        var batch = Messages.Batch(messages) with
        {
            StoreRefused = (refused, _) =>
            {
                stored = [.. refused];
                return Task.CompletedTask;
            },
        };

        var failures = await sink.SendAsync(batch, CancellationToken.None);
        Assert.Empty(
            await sink.SendAsync(Messages.Batch([Messages.Make(destination, 41, "key-6")]), CancellationToken.None)
        );

        Assert.Equal([10, 30], failures.Select(f => f.Message.Position));
        Assert.Equal([messages[9], messages[29]], failures.Select(f => f.Message));
        Assert.All(failures, f => Assert.Contains(refusal.Reason, f.Reason, StringComparison.OrdinalIgnoreCase));
        output.WriteLine($"{kind}: {failures[0].Reason}");
        if (await sink.ConnectAsync(CancellationToken.None) is { } position)
            Assert.Equal((41L, 2), (position, stored.Count));
        var read = await target.ReadAsync(destination);
        Assert.Equal(
            Enumerable
                .Range(1, 41)
                .Where(n => n is not (10 or 30))
                .Select(n => $"db/task/{n}/0")
                .Order(StringComparer.Ordinal),
            read.Select(r => r.Id).Order(StringComparer.Ordinal)
        );
        AssertOrderPerKey(read);
    }

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task What_it_finds_fault_with_becomes_a_dead_letter_with_the_reason_and_the_others_arrive(string kind)
    {
        var target = await targets.UseAsync(kind);
        var destination = target.NewDestination();
        var impossible = "no/name" + new string('e', 300);
        await using var shop = new Shop();
        await Things.PutAsync(shop, 0, 9);
        await Things.PutAsync(shop, 9, 1, target.OversizeBytes);
        await Things.PutAsync(shop, 10, 10);
        await using var host = shop.Host(
            $"  target: {{ {kind}: {target.Options} }}",
            $"etl:\n  - {{ name: t, from: [Things], to: target, transform: 'send(doc.N == 15 ? \"{impossible}\" : \"{destination}\", doc, key: id);' }}"
        );
        host.Start();
        using var late = new CancellationTokenSource(Timeout);
        Assert.True(await host.DrainAsync(20, late.Token), host.GetStatus()[0].LastError?.Message);
        await host.StopAsync(late.Token);

        var letters = (await new DeadLetterService(shop.Database).FindAsync(new DeadLetterSelection { Task = "t" }))
            .OrderBy(l => l.Position)
            .ToList();
        Assert.Equal(["things/9", "things/15"], letters.Select(l => l.DocumentId));
        Assert.Equal(["oversize", "permanent"], letters.Select(l => l.Class));
        Assert.All(letters, l => Assert.True(l.Error.Length > 20, l.Error));
        output.WriteLine($"{kind}: {letters[0].Error} | {letters[1].Error[..Math.Min(200, letters[1].Error.Length)]}");
        var read = await target.ReadAsync(destination);
        Assert.Equal(
            Enumerable.Range(0, 20).Except([9, 15]),
            read.Select(r => JsonNode.Parse(r.Body)!["N"]!.GetValue<int>()).Order()
        );
    }

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task It_says_that_its_target_is_away_and_stops_when_told(string kind)
    {
        var target = await targets.UseAsync(kind);
        if (!target.HasNetwork)
            return;
        var proxy = target.Proxy!;
        var broker = proxy.Target;
        proxy.Target = 1;
        await using var restored = new Restored(() => proxy.Target = broker);
        await using var connector = Connector(target);
        using var late = new CancellationTokenSource(Timeout);
        var unhealthy = await Assert.ThrowsAsync<ConnectorException>(() =>
            connector.CheckHealthAsync(late.Token).AsTask()
        );
        Assert.Equal(kind, unhealthy.Connection);
        Assert.True(unhealthy.IsTransient, unhealthy.Message);
        await using (var sink = Sinks.Sink(connector))
        {
            var stop = new CancellationTokenSource();
            var connecting = sink.ConnectAsync(stop.Token).AsTask();
            stop.CancelAfter(TimeSpan.FromSeconds(1));
            var ended = await Record.ExceptionAsync(() => connecting.WaitAsync(late.Token));
            Assert.True(
                ended is OperationCanceledException or ConnectorException { IsTransient: true },
                $"{kind}: {ended}"
            );
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Nothing_is_lost_or_out_of_order_over_a_bad_network_and_a_broker_that_dies(string kind)
    {
        var target = await targets.UseAsync(kind);
        if (!target.HasNetwork)
            return;
        var destination = target.NewDestination();
        await using var shop = new Shop();
        await using var host = shop.Host(
            $"  target: {{ {kind}: {target.Options} }}",
            $"etl:\n  - {{ name: t, from: [Things], to: target, batch: {{ minDocuments: 10, maxDocuments: 40 }}, retry: {{ initialDelay: 50ms, maxDelay: 500ms, failedDelay: 1s }}, transform: 'send(\"{destination}\", new {{ doc.N, K = doc.N % 7 }}, key: \"k\" + doc.N % 7);' }}"
        );
        host.Start();
        using var late = new CancellationTokenSource(Timeout);
        var proxy = target.Proxy!;
        await PutAsync(shop, 0, 200);
        await UntilAsync(host, 50, late.Token);
        proxy.Cut();
        await PutAsync(shop, 200, 100);
        proxy.Delay = TimeSpan.FromMilliseconds(30);
        await UntilAsync(host, 250, late.Token);
        proxy.Delay = TimeSpan.Zero;
        proxy.HalfClose();
        await PutAsync(shop, 300, 100);
        await UntilAsync(host, 350, late.Token);
        proxy.IsDeaf = true;
        await PutAsync(shop, 400, 100);
        await Task.Delay(TimeSpan.FromMilliseconds(300), late.Token);
        proxy.Cut();
        proxy.IsDeaf = false;
        await UntilAsync(host, 450, late.Token);
        if (target.SurvivesKill)
            await target.Broker!.KillAsync();
        else
            await target.Broker!.StopAsync();
        await PutAsync(shop, 500, 100);
        await target.Broker.StartAsync();
        Assert.True(
            await host.DrainAsync(shop.Database.LastPosition, late.Token),
            host.GetStatus()[0].LastError?.Message
        );
        await host.StopAsync(late.Token);
        var status = host.GetStatus()[0];
        Assert.Equal(0, status.DeadLetters);

        var read = await target.ReadAsync(destination);
        var distinct = read.DistinctBy(r => r.Id).ToList();
        output.WriteLine($"{kind}: {status.Retries} retries, {read.Count - distinct.Count} repeats, {proxy.Cuts} cuts");
        Assert.Equal(
            Enumerable.Range(0, 600),
            distinct.Select(r => JsonNode.Parse(r.Body)!["N"]!.GetValue<int>()).Order()
        );
        if (target.IsExactlyOnce)
            Assert.Equal(600, read.Count);
        foreach (var key in distinct.Select(r => JsonNode.Parse(r.Body)!).GroupBy(b => b["K"]!.GetValue<int>()))
            Assert.Equal(key.Select(b => b["N"]!.GetValue<int>()).Order(), key.Select(b => b["N"]!.GetValue<int>()));
    }

    /// <summary>The connector as a configuration makes it.</summary>
    private static IConnector Connector(ConformanceTarget target, string? options = null)
    {
        var yaml = $$"""
            version: 1
            database: { name: shop, path: ./data }
            connections: { {{target.Kind}}: { {{target.Kind}}: {{options ?? target.Options}} } }

            """;
        var configuration = PipelineConfiguration.Parse(
            yaml,
            Path.Combine(Path.GetTempPath(), "pipeline.yaml"),
            FixedVariables.None
        );
        return configuration
            .Connections[target.Kind]
            .Create(
                new ConnectorContext(target.Kind, Path.GetTempPath(), TimeProvider.System, NullLoggerFactory.Instance)
            );
    }

    private static OutgoingMessage Moved(OutgoingMessage m, long by) =>
        Messages.Make(m.Destination, m.Position + by, m.Key);

    private static void AssertOrderPerKey(IEnumerable<(string Id, string Body)> read)
    {
        var positions = read.Select(r => long.Parse(r.Id.Split('/')[^2], CultureInfo.InvariantCulture)).ToList();
        foreach (var key in positions.GroupBy(p => p % 7))
            Assert.Equal(key.Order(), key);
    }

    private static async Task PutAsync(Shop shop, int from, int count) =>
        await shop.Database.WriteAsync(t =>
        {
            for (var n = from; n < from + count; n++)
            {
                t.Put(
                    $"things/{n}",
                    Encoding.UTF8.GetBytes(
                        JsonSerializer.Serialize(
                            new Dictionary<string, object>
                            {
                                ["N"] = n,
                                ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Things" },
                            }
                        )
                    )
                );
            }
        });

    private static async Task UntilAsync(EtlHost host, long position, CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (host.GetStatus()[0].Position < position)
        {
            if (!cancellationToken.IsCancellationRequested && await timer.WaitForNextTickAsync(CancellationToken.None))
                continue;
            throw new TimeoutException($"not at {position}: {host.GetStatus()[0]}");
        }
    }

    private sealed class Restored(Action restore) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            restore();
            return ValueTask.CompletedTask;
        }
    }
}
