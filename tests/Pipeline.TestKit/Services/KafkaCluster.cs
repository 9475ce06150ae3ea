using System.Globalization;
using Xunit;

namespace Pipeline.TestKit.Services;

/// <summary>
/// Three brokers of a local Kafka, each also its own controller: three copies, two must be in sync, no unclean election.
/// Each broker has listeners of the caller's besides its own, so that clients can reach it through proxies.
/// </summary>
public sealed class KafkaCluster : IAsyncDisposable
{
    /// <summary>How many brokers there are.</summary>
    public const int Count = 3;

    /// <summary>After this time without a sign of life a broker is replaced as leader.</summary>
    public static readonly TimeSpan SessionTimeout = TimeSpan.FromSeconds(3);
    private readonly KafkaInstallation _installation;
    private readonly string _clusterId = KafkaInstallation.NewId();
    private readonly IReadOnlyList<string> _listeners;
    private readonly int[] _ports;
    private readonly string[] _folders;
    private readonly ServiceProcess[] _brokers = new ServiceProcess[Count];

    /// <summary>Chooses ports and folders; <see cref="StartAsync"/> starts the brokers.</summary>
    /// <param name="listeners">The names of more listeners, in capital letters.</param>
    /// <exception cref="SkipException">No Kafka is installed on this machine.</exception>
    public KafkaCluster(IReadOnlyList<string> listeners)
    {
        ArgumentNullException.ThrowIfNull(listeners);
        _listeners = listeners;
        try
        {
            _installation = KafkaInstallation.Find();
        }
        catch (ServiceMissingException e)
        {
            var message =
                $"Kafka is missing: {e.Message}. To run these tests: install Java 17 and set KAFKA_HOME to the folder of Kafka 4";
            throw Environment.GetEnvironmentVariable("CI") == "true"
                ? new InvalidOperationException(message)
                : new SkipException(message);
        }
        _ports = [.. Enumerable.Range(0, Count).Select(_ => FreePorts.Find(2 + listeners.Count))];
        _folders = [.. Enumerable.Range(0, Count).Select(_ => ServiceProcess.NewFolder("kafka"))];
    }

    /// <summary>Where programs reach the brokers without a proxy.</summary>
    public string Endpoint => string.Join(',', _ports.Select(p => $"127.0.0.1:{p}"));

    /// <summary>The port of a broker's listener.</summary>
    /// <param name="broker">The broker, from 0.</param>
    /// <param name="listener">The listener, from 0.</param>
    public int PortOf(int broker, int listener) => _ports[broker] + 2 + listener;

    /// <summary>Starts all brokers.</summary>
    /// <param name="advertised">The port at which clients reach a broker's listener.</param>
    public async Task StartAsync(Func<int, int, int> advertised)
    {
        ArgumentNullException.ThrowIfNull(advertised);
        for (var broker = 0; broker < Count; broker++)
        {
            var file = FileOf(broker);
            await File.WriteAllTextAsync(file, Properties(broker, advertised));
            await _installation.FormatAsync(file, _clusterId);
            _brokers[broker] = new ServiceProcess(
                $"127.0.0.1:{_ports[broker]}",
                _installation.Origin,
                _ports[broker],
                _folders[broker],
                () => _installation.Broker(file)
            );
        }
        // A broker answers only once two controllers have agreed.
        await Task.WhenAll(_brokers.Select(b => b.StartAsync()));
    }

    /// <summary>Kills a broker, as <c>kill -9</c> does.</summary>
    public Task KillAsync(int broker) => _brokers[broker].KillAsync();

    /// <summary>Stops a broker in order: it gives its partitions up first.</summary>
    public Task StopAsync(int broker) => _brokers[broker].StopAsync();

    /// <summary>Has a broker stand still.</summary>
    public void Pause(int broker) => _brokers[broker].Pause();

    /// <summary>Has a broker that stands still continue.</summary>
    public void Resume(int broker) => _brokers[broker].Resume();

    /// <summary>Starts a broker that has ended.</summary>
    public Task StartAsync(int broker) => _brokers[broker].StartAsync();

    /// <summary>Deletes all that a broker has. It must have ended.</summary>
    public async Task EmptyAsync(int broker)
    {
        foreach (var folder in (string[])["logs", "metadata"])
            Directory.Delete(Path.Combine(_folders[broker], folder), recursive: true);
        await _installation.FormatAsync(FileOf(broker), _clusterId);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var broker in _brokers.Where(b => b is not null))
        {
            await broker.KillAsync();
            await broker.DisposeAsync();
        }
        foreach (var folder in _folders.Where(Directory.Exists))
            Directory.Delete(folder, recursive: true);
    }

    private string FileOf(int broker) => Path.Combine(_folders[broker], "server.properties");

    private string Properties(int broker, Func<int, int, int> advertised)
    {
        var own = Enumerable.Range(0, _listeners.Count).ToList();
        var voters = string.Join(',', _ports.Select((p, i) => $"{i + 1}@127.0.0.1:{p + 1}"));
        var listening = string.Concat(own.Select(i => $",{_listeners[i]}://127.0.0.1:{PortOf(broker, i)}"));
        var told = string.Concat(own.Select(i => $",{_listeners[i]}://127.0.0.1:{advertised(broker, i)}"));
        var timeout = SessionTimeout.TotalMilliseconds.ToString(CultureInfo.InvariantCulture);
        return $"""
            process.roles=broker,controller
            node.id={broker + 1}
            controller.quorum.voters={voters}
            listeners=OWN://127.0.0.1:{_ports[broker]},CONTROLLER://127.0.0.1:{_ports[broker] + 1}{listening}
            advertised.listeners=OWN://127.0.0.1:{_ports[broker]}{told}
            controller.listener.names=CONTROLLER
            inter.broker.listener.name=OWN
            listener.security.protocol.map=CONTROLLER:PLAINTEXT,OWN:PLAINTEXT{string.Concat(
                _listeners.Select(l => $",{l}:PLAINTEXT")
            )}
            log.dirs={_folders[broker]}/logs
            metadata.log.dir={_folders[broker]}/metadata
            default.replication.factor=3
            min.insync.replicas=2
            unclean.leader.election.enable=false
            auto.leader.rebalance.enable=false
            auto.create.topics.enable=false
            broker.session.timeout.ms={timeout}
            broker.heartbeat.interval.ms=500
            replica.lag.time.max.ms={timeout}
            offsets.topic.replication.factor=3
            offsets.topic.num.partitions=2
            transaction.state.log.replication.factor=3
            transaction.state.log.min.isr=2
            transaction.state.log.num.partitions=2
            share.coordinator.state.topic.replication.factor=3
            share.coordinator.state.topic.min.isr=2
            group.initial.rebalance.delay.ms=0
            """;
    }
}
