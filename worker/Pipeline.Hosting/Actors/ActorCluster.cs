using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Cluster;
using Akka.Configuration;
using Akka.Remote.Transport.DotNetty;
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
internal sealed class ActorCluster(
    PipelineConfiguration configuration,
    DocumentDatabase database,
    ClusterMember member,
    TimeProvider time,
    ILoggerFactory loggers
) : IAsyncDisposable
{
    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan JoinTimeout = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(15);
    private readonly ActorsConfiguration _actors = configuration.Actors!;
    private readonly string _address = configuration.Actors!.Cluster!.AddressAt(configuration.Cluster!.Url);
    private readonly X509Certificate2? _certificate = configuration.Server.Certificate is { } from
        ? new CertificateFiles(from.File, from.Key, from.Password).Load()
        : null;
    private readonly ILogger _logger = loggers.CreateLogger("Pipeline.Actors");
    private readonly CancellationTokenSource _end = new();
    private Task _running = Task.CompletedTask;
    private volatile ActorSystem? _system;

    /// <summary>Runs the actor system, and another one after it, until it is told to stop.</summary>
    /// <exception cref="WorkerException">The class that starts the actors, or its settings, are invalid.</exception>
    public Task RunAsync(CancellationToken ct) => _running = RunUntilAsync(ct);

    /// <summary>Ends the actor system at once, if it still runs: it gives nothing away.</summary>
    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _end.Dispose();
        _certificate?.Dispose();
    }

    private async Task RunUntilAsync(CancellationToken stop)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop, _end.Token);
        var ct = either.Token;
        var starter = ActorSettings.MakeStarter(configuration);
        var setup = Setup();
        if (_certificate is null && !configuration.Cluster!.Url.IsLoopback)
            ActorLog.IsPlain(_logger, _address);
        while (!ct.IsCancellationRequested)
        {
            try
            {
                await RunOnceAsync(starter, setup, ct).ConfigureAwait(false);
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
            await Task.Delay(LookEvery, time, ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Why actors do not run on this node; null while they do.</summary>
    public string? FindProblem() =>
        _system is { WhenTerminated.IsCompleted: false } ? null : "they have not joined yet";

    private async Task RunOnceAsync(IActorStarter starter, ActorSystemSetup setup, CancellationToken ct)
    {
        var system = ActorSystem.Create(_actors.System, setup);
        try
        {
            await JoinAsync(system, ct).ConfigureAwait(false);
            await starter.StartAsync(system, database, ct).ConfigureAwait(false);
            _system = system;
            ActorLog.Joined(_logger, _actors.System, _address, _actors.Start);
            await WatchAsync(system, ct).ConfigureAwait(false);
        }
        finally
        {
            _system = null;
            // A system that leaves gives its shards away first; one that was removed has nothing to give.
            if (!_end.IsCancellationRequested)
            {
                await CoordinatedShutdown
                    .Get(system)
                    .Run(CoordinatedShutdown.ActorSystemTerminateReason.Instance)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            await system.Terminate().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Joins the cluster of the node that leads. That node joins what the others have, or forms a cluster if they have
    /// none.
    /// </summary>
    private async Task JoinAsync(ActorSystem system, CancellationToken ct)
    {
        var cluster = AkkaCluster.Get(system);
        while (true)
        {
            if (Seeds(cluster) is { Count: > 0 } seeds)
            {
                cluster.JoinSeedNodes(seeds);
                var began = time.GetTimestamp();
                while (time.GetElapsedTime(began) < JoinTimeout)
                {
                    if (cluster.SelfMember.Status == MemberStatus.Up)
                        return;
                    await Task.Delay(LookEvery, time, ct).ConfigureAwait(false);
                }
            }
            await Task.Delay(LookEvery, time, ct).ConfigureAwait(false);
        }
    }

    private List<Address> Seeds(AkkaCluster cluster)
    {
        if (member.Leader is not { } leader || PlaceOf(leader) is not { } first)
            return [];
        var others = member.Nodes.Where(n => n.Name != leader.Name && n.Name != member.Self.Name);
        return [first, .. others.Select(PlaceOf).OfType<Address>().Where(a => a != cluster.SelfAddress)];
    }

    /// <summary>Waits until the system ends, or has not seen the leader for long.</summary>
    private async Task WatchAsync(ActorSystem system, CancellationToken ct)
    {
        var cluster = AkkaCluster.Get(system);
        var seen = time.GetTimestamp();
        while (!system.WhenTerminated.IsCompleted)
        {
            if (member.Leader is not { } leader || PlaceOf(leader) is not { } place || Sees(cluster, place))
                seen = time.GetTimestamp();
            if (time.GetElapsedTime(seen) > LostAfter)
            {
                ActorLog.LostLeader(_logger, _actors.System);
                return;
            }
            await Task.Delay(LookEvery, time, ct).ConfigureAwait(false);
        }
        ActorLog.Ended(_logger, _actors.System);
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

    private ActorSystemSetup Setup()
    {
        var setup = ActorSettings
            .SetUp(ActorSettings.Read(configuration, ClusterSettings()), database, loggers)
            .And(
                new LeaderPlaceSetup(
                    () => member.Leader is { } leader ? PlaceOf(leader) : null,
                    () => member.Leads && member.HoldsLease
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
                        remote is not null && member.Certificates.Contains(CertificateThumbprint.Of(remote))
                )
            );
    }

    private Config ClusterSettings()
    {
        var own = _actors.Cluster!;
        var host = own.Host ?? configuration.Cluster!.Url.Host;
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
                  class = "{{typeof(PipelineJournal).FullName}}, {{typeof(PipelineJournal).Assembly.GetName().Name}}"
                  replay-filter.mode = off
                  documents.enabled = off
                  {{Node()}}
                }
                {{Plugin("snapshot-store")}} {
                  class = "{{typeof(PipelineSnapshotStore).FullName}}, {{typeof(PipelineSnapshotStore).Assembly.GetName().Name}}"
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
            $"url = {JsonSerializer.Serialize(configuration.Cluster!.Url.GetLeftPart(UriPartial.Authority))}\nremote-database = {JsonSerializer.Serialize(configuration.Database.Name)}";
        if (_certificate is null)
            return place;
        var files = configuration.Server.Certificate!;
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
