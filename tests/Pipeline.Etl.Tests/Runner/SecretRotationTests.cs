using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Time;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>A target that takes one password at a time, and a file that holds it.</summary>
public sealed class SecretRotationTests : IAsyncLifetime, IDisposable
{
    private const string Old = "hunter-old",
        New = "hunter-new";
    private readonly TestFolder _folder = new();
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database = DocumentDatabase.Open(
        new DatabaseOptions { Name = "test", TimeProvider = new ManualTimeProvider() }
    );
    private readonly Vault _vault = new() { Password = Old };
    private readonly CapturedLines _logs = new();

    public Task InitializeAsync() => Task.CompletedTask;

    public Task DisposeAsync() => _database.DisposeAsync().AsTask();

    public void Dispose()
    {
        _logs.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_new_password_in_the_file_is_taken_after_the_target_refuses_the_old_one()
    {
        await using var host = Start();
        await PutAsync(1, host);
        (_vault.Password, _vault.IsStrict) = (New, true);
        _folder.Write("password", New + "\n");
        await PutAsync(2, host, overWaits: true);
        Assert.Equal([1, 2], _vault.Taken);
        Assert.Equal([Old, New], _vault.Connected.Distinct());
        Assert.Equal(1, _vault.Closed);
    }

    [Fact]
    public async Task A_new_password_in_the_file_is_taken_while_the_old_connection_still_works()
    {
        await using var host = Start();
        await PutAsync(1, host);
        _folder.Write("password", New);
        _vault.Password = New;
        await PutAsync(2, host);
        Assert.Equal([Old], _vault.Connected);
        _time.Advance(RotatingConnector.Interval);
        await PutAsync(3, host);
        Assert.Equal([Old, New], _vault.Connected);
        Assert.Equal([1, 2, 3], _vault.Taken);
        Assert.Equal(1, _vault.Closed);
    }

    [Fact]
    public async Task A_file_that_is_gone_for_a_moment_is_waited_for()
    {
        await using var host = Start();
        await PutAsync(1, host);
        File.Delete(_folder["password"]);
        _time.Advance(RotatingConnector.Interval);
        await PutAsync(2, host);
        _vault.FailNext = true;
        _vault.OnRetry = () => _folder.Write("password", New);
        _vault.Password = New;
        await PutAsync(3, host, overWaits: true);
        Assert.Equal([1, 2, 3], _vault.Taken);
        Assert.Equal(New, _vault.Connected[^1]);
    }

    [Fact]
    public async Task No_secret_gets_out()
    {
        await using var host = Start();
        _vault.Password = "another";
        await _database.PutAsync("things/1", """{"N":1,"@metadata":{"@collection":"Things"}}"""u8.ToArray());
        await host.DrainAsync(_database.LastPosition, CancellationToken.None);
        var status = Assert.Single(host.GetStatus());
        Assert.Equal("no entry with password *** for user me (***)", status.LastError!.Message);
        _vault.Password = Old;
        _vault.RefusesAll = true;
        await PutAsync(2, host, overWaits: true);
        Assert.True(
            (await host.CheckConnectionsAsync(RunnerFixture.Timeout, CancellationToken.None))["v"]
                is "no health with ***"
        );

        using var snapshot = _database.OpenSnapshot();
        var letters = string.Concat(snapshot.GetByCollection("DeadLetters").Select(d => d.ToString()));
        Assert.Contains("refused for ***", letters, StringComparison.Ordinal);
        var everything =
            letters + string.Concat(_logs.Lines) + string.Concat(host.GetStatus()) + host.GetStatus()[0].LastError;
        Assert.Contains("client says ***", everything, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter", everything, StringComparison.OrdinalIgnoreCase);
    }

    private EtlHost Start()
    {
        _folder.Write("password", Old + "\n");
        var yaml = """
            version: 1
            database: { name: test, path: . }
            connections: { v: { vault: { password: "${file:password}" } } }
            etl:
              - { name: t, from: [Things], to: v, transform: 'send("x", new { doc.N });' }
            """;
        var catalog = new ConnectorCatalog([new VaultDefinition(_vault)]);
        var plan = PipelineConfiguration
            .Parse(yaml, _folder["pipeline.yaml"], FixedVariables.None, catalog)
            .CreatePlan();
        var host = new EtlHost(plan, _database, new EtlHostOptions { Time = _time, Loggers = _logs });
        host.Start();
        return host;
    }

    private async Task PutAsync(int n, EtlHost host, bool overWaits = false)
    {
        await _database.PutAsync(
            $"things/{n}",
            System.Text.Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"Things"} }""")
        );
        using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
        var drained = host.DrainAsync(_database.LastPosition, timeout.Token);
        var timer = overWaits ? _time.NextTimerAsync(timeout.Token).AsTask() : Task.FromResult(TimeSpan.Zero);
        while (overWaits)
        {
            await Task.WhenAny(drained, timer);
            if (timer.IsCompleted)
            {
                _vault.OnRetry?.Invoke();
                _time.Advance(await timer);
                timer = _time.NextTimerAsync(timeout.Token).AsTask();
            }

            if (!drained.IsCompleted)
                continue;
            if (await drained)
                return;
            await Task.Yield();
            drained = host.DrainAsync(_database.LastPosition, timeout.Token);
        }

        Assert.True(await drained);
    }

    private sealed class Vault
    {
        public string Password { get; set; } = "";

        /// <summary>Whether a connection made with another password ends.</summary>
        public bool IsStrict { get; set; }

        public bool FailNext { get; set; }

        public bool RefusesAll { get; set; }

        public Action? OnRetry { get; set; }

        public List<string> Connected { get; } = [];

        public List<int> Taken { get; } = [];

        public int Closed { get; set; }
    }

    private sealed class VaultOptions
    {
        [Setting("Password.", Secret = true)]
        public string Password { get; init; } = "";
    }

    private sealed class VaultDefinition(Vault vault) : ConnectorDefinition<VaultOptions>
    {
        public override string Kind => "vault";

        public override string Summary => "For tests.";

        protected override IConnector Create(VaultOptions options, ConnectorContext context) =>
            new VaultConnector(vault, options, context);
    }

    private sealed class VaultConnector(Vault vault, VaultOptions options, ConnectorContext context) : IConnector
    {
        public Vault Vault => vault;

        public string Password => options.Password;

        public ILogger Logger { get; } = context.Loggers.CreateLogger("vault");

        public string Name => context.Connection;

        public IMessageSink CreateSink(SinkContext context) => new VaultSink(this);

        public ValueTask CheckHealthAsync(CancellationToken cancellationToken) =>
            throw new ConnectorException(Name, "no health with " + Password, isTransient: true);

        public ValueTask DisposeAsync()
        {
            vault.Closed++;
            return ValueTask.CompletedTask;
        }
    }

    private sealed class VaultSink(VaultConnector connector) : IMessageSink
    {
        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
        {
#pragma warning disable CA1848, CA2254 // As a careless client library would.
            connector.Logger.LogWarning("client says " + connector.Password);
            connector.Logger.LogWarning(
                new InvalidOperationException(connector.Password),
                "client says {Password}",
                connector.Password
            );
#pragma warning restore CA1848, CA2254
            if (connector.Password != connector.Vault.Password)
            {
                var inner = new InvalidOperationException(connector.Password);
                throw new ConnectorException(
                    connector.Name,
                    $"no entry with password {connector.Password} for user me ({connector.Password})",
                    isTransient: false,
                    inner
                );
            }

            connector.Vault.Connected.Add(connector.Password);
            return ValueTask.FromResult<long?>(null);
        }

        public string? FindFault(OutgoingMessage message) =>
            connector.Vault.RefusesAll ? "refused for " + connector.Password : null;

        public ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        )
        {
            var isOut =
                connector.Vault.FailNext || connector.Vault.IsStrict && connector.Password != connector.Vault.Password;
            connector.Vault.FailNext = false;
            if (isOut)
                throw new ConnectorException(connector.Name, $"{connector.Password} is out of date", isTransient: true);
            foreach (var message in batch.Messages)
            {
                connector.Vault.Taken.Add(
                    System.Text.Json.JsonDocument.Parse(message.Body).RootElement.GetProperty("N").GetInt32()
                );
            }

            return ValueTask.FromResult<IReadOnlyList<MessageFailure>>([]);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
