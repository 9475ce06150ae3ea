using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Cluster;
using Akka.Configuration;
using Akka.Remote.Transport.DotNetty;
using Akka.Util;
using Microsoft.Extensions.Logging;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Sharding;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Certificates;
using Pipeline.Hosting.Cluster;
using Pipeline.Server.Cluster;
using AkkaCluster = Akka.Cluster.Cluster;
using ConfigurationFactory = Akka.Configuration.ConfigurationFactory;

namespace Pipeline.Hosting.Actors;

/// <summary>
/// The actor system of a node, which forms a cluster with those of the other nodes. It joins the node that leads the
/// database, and starts again if it loses that node: the database's log alone decides who leads.
/// </summary>
internal sealed class ActorCluster : IAsyncDisposable
{
    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan JoinTimeout = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(15);
    private readonly PipelineConfiguration _configuration;
    private readonly ActorsConfiguration _actors;
    private readonly DocumentDatabase _database;
    private readonly ClusterMember _member;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly X509Certificate2? _certificate;
    private readonly IActorStarter _starter;
    private readonly ActorSystemSetup _setup;
    private readonly CancellationTokenSource _end = new();
    private Task _running = Task.CompletedTask;
    private volatile ActorSystem? _system;

    /// <summary>Reads the settings and makes the class that starts the actors; nothing runs yet.</summary>
    /// <param name="configuration">The configuration, with a cluster of actors.</param>
    /// <param name="database">The node's database, which stays the caller's.</param>
    /// <param name="member">The node.</param>
    /// <param name="time">The clock.</param>
    /// <param name="loggers">The loggers.</param>
    /// <exception cref="WorkerException">The class that starts the actors, or its settings, are invalid.</exception>
    public ActorCluster(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        ClusterMember member,
        TimeProvider time,
        ILoggerFactory loggers
    )
    {
        (_configuration, _database, _member, _time) = (configuration, database, member, time);
        _actors = configuration.Actors!;
        _logger = loggers.CreateLogger("Pipeline.Actors");
        _starter = ActorSettings.MakeStarter(configuration);
        _certificate = member.Certificate;
        _setup = SetUp(loggers);
    }

    private string Address => _actors.Cluster!.AddressAt(_configuration.Cluster!.Url);

    /// <summary>Runs the actor system, and another one after it, until it is told to stop.</summary>
    public Task RunAsync(CancellationToken ct) => _running = RunUntilAsync(ct);

    /// <summary>Ends the actor system at once, if it still runs: it gives nothing away.</summary>
    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _end.Dispose();
    }

    private async Task RunUntilAsync(CancellationToken stop)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop, _end.Token);
        var ct = either.Token;
        if (_certificate is null && !_configuration.Cluster!.Url.IsLoopback)
            ActorLog.IsPlain(_logger, Address);
        while (!ct.IsCancellationRequested)
        {
            try
            {
                await RunOnceAsync(ct).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // Whatever the actors' code throws: the node says so, and tries again.
            catch (Exception e) when (!ct.IsCancellationRequested)
#pragma warning restore CA1031
            {
                ActorLog.Failed(_logger, _actors.System, e);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            await Task.Delay(LookEvery, _time, ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Why actors do not run on this node; null while they do.</summary>
    public string? FindProblem() =>
        _system is { WhenTerminated.IsCompleted: false } ? null : "they have not joined yet";

    private async Task RunOnceAsync(CancellationToken ct)
    {
        var system = ActorSystem.Create(_actors.System, _setup);
        try
        {
            if (await TryJoinAsync(system, ct).ConfigureAwait(false))
            {
                await _starter.StartAsync(system, _database, ct).ConfigureAwait(false);
                _system = system;
                ActorLog.Joined(_logger, _actors.System, Address, _actors.Start);
                await WatchAsync(system, ct).ConfigureAwait(false);
            }
            if (system.WhenTerminated.IsCompleted)
                ActorLog.Ended(_logger, _actors.System);
        }
        finally
        {
            _system = null;
            // A system that leaves gives its shards away first; one that was removed has nothing to give.
            if (!_end.IsCancellationRequested)
            {
                Task leaving = CoordinatedShutdown
                    .Get(system)
                    .Run(CoordinatedShutdown.ActorSystemTerminateReason.Instance);
                await leaving.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            await system.Terminate().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Joins the cluster of the node that leads. That node joins what the others have, or forms a cluster if they have
    /// none.
    /// </summary>
    /// <returns>Whether it has joined; the system has ended otherwise, or must start again.</returns>
    private async Task<bool> TryJoinAsync(ActorSystem system, CancellationToken ct)
    {
        var cluster = AkkaCluster.Get(system);
        while (!system.WhenTerminated.IsCompleted)
        {
            if (Seeds(cluster) is { Count: > 0 } seeds)
            {
                cluster.JoinSeedNodes(seeds);
                var began = _time.GetTimestamp();
                while (_time.GetElapsedTime(began) < JoinTimeout)
                {
                    if (cluster.SelfMember.Status == MemberStatus.Up)
                        return true;
                    await Task.Delay(LookEvery, _time, ct).ConfigureAwait(false);
                }
                // A system joins one cluster only. This one does not take it: the node that leads is elsewhere by now.
                if (cluster.SelfMember.Status is MemberStatus.Joining or MemberStatus.WeaklyUp)
                {
                    ActorLog.LostLeader(_logger, _actors.System);
                    return false;
                }
            }
            await Task.Delay(LookEvery, _time, ct).ConfigureAwait(false);
        }
        return false;
    }

    /// <summary>
    /// Where to join. Only the leader joins others: a node that does may be one that the leader has removed and that
    /// does not know it yet.
    /// </summary>
    private List<Address> Seeds(AkkaCluster cluster)
    {
        if (_member.Leader is not { } leader || PlaceOf(leader) is not { } first)
            return [];
        if (leader.Name != _member.Self.Name)
            return [first];
        var others = _member.Nodes.Where(n => n.Name != leader.Name && n.Name != _member.Self.Name);
        return [first, .. others.Select(PlaceOf).OfType<Address>().Where(a => a != cluster.SelfAddress)];
    }

    /// <summary>Waits until the system ends, or has not seen the leader for long.</summary>
    private async Task WatchAsync(ActorSystem system, CancellationToken ct)
    {
        var cluster = AkkaCluster.Get(system);
        var seen = _time.GetTimestamp();
        while (!system.WhenTerminated.IsCompleted)
        {
            if (_member.Leader is not { } leader || PlaceOf(leader) is not { } place || Sees(cluster, place))
                seen = _time.GetTimestamp();
            if (_time.GetElapsedTime(seen) > LostAfter)
            {
                ActorLog.LostLeader(_logger, _actors.System);
                return;
            }
            await Task.Delay(LookEvery, _time, ct).ConfigureAwait(false);
        }
    }

    private static bool Sees(AkkaCluster cluster, Address place) =>
        cluster.State.Members.Any(m => m.Address == place) && cluster.State.Unreachable.All(m => m.Address != place);

    private Address? PlaceOf(ServerNode node)
    {
        if (node.Actors is not { } actors || actors.LastIndexOf(':') is not (> 0 and var colon))
            return null;
        return int.TryParse(actors.AsSpan(colon + 1), out var port)
            ? new Address(_certificate is null ? "akka.tcp" : "akka.ssl.tcp", _actors.System, actors[..colon], port)
            : null;
    }

    private ActorSystemSetup SetUp(ILoggerFactory loggers)
    {
        var setup = ActorSettings
            .SetUp(ActorSettings.Read(_configuration, ClusterSettings()), _database, loggers)
            .And(
                new LeaderPlaceSetup(
                    () => _member.Leader is { } leader ? PlaceOf(leader) : null,
                    () => _member.Leads && _member.HoldsLease
                )
            );
        return _certificate is null
            ? setup
            : setup.And(
                new DotNettySslSetup(
                    _certificate,
                    suppressValidation: false,
                    requireMutualAuthentication: true,
                    (remote, _, _, _, _) =>
                        remote is not null && _member.Certificates.Contains(CertificateThumbprint.Of(remote))
                )
            );
    }

    private Config ClusterSettings()
    {
        var own = _actors.Cluster!;
        var host = own.Host ?? _configuration.Cluster!.Url.Host;
        return ConfigurationFactory
            .ParseString(
                $$"""
                akka.remote.dot-netty.tcp {
                  hostname = {{JsonSerializer.Serialize(own.Listen ?? host)}}
                  public-hostname = {{JsonSerializer.Serialize(host)}}
                  port = {{own.Port}}
                  public-port = {{own.Port}}
                  enable-ssl = {{(_certificate is null ? "off" : "on")}}
                }
                akka.cluster.sharding {
                  journal-plugin-id = "{{Plugin("journal")}}"
                  snapshot-plugin-id = "{{Plugin("snapshot-store")}}"
                }
                {{Plugin("journal")}} {
                  class = "{{typeof(PipelineJournal).TypeQualifiedName()}}"
                  replay-filter.mode = off
                  documents.enabled = off
                  {{Node()}}
                }
                {{Plugin("snapshot-store")}} {
                  class = "{{typeof(PipelineSnapshotStore).TypeQualifiedName()}}"
                  keep = 1
                  {{Node()}}
                }
                """
            )
            .WithFallback(LeaderShards.DefaultConfiguration());
    }

    /// <summary>
    /// A plugin over this node's address, which passes writes on to the leader: what Akka keeps of shards is written by
    /// any node.
    /// </summary>
    private static string Plugin(string kind) => $"akka.persistence.{kind}.pipeline-node";

    private string Node()
    {
        var place =
            $"url = {JsonSerializer.Serialize(_configuration.Cluster!.Url.GetLeftPart(UriPartial.Authority))}\nremote-database = {JsonSerializer.Serialize(_configuration.Database.Name)}";
        if (_certificate is null)
            return place;
        var files = _configuration.Server.Certificate!;
        return place
            + $$"""

                tls {
                  certificate = {{JsonSerializer.Serialize(files.File)}}
                  key = {{JsonSerializer.Serialize(files.Key ?? "")}}
                  password = {{JsonSerializer.Serialize(files.Password ?? "")}}
                  server-thumbprint = "{{CertificateThumbprint.Of(_certificate)}}"
                }
                """;
    }
}
