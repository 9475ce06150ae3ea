using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Cluster;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;
using Yarp.ReverseProxy.Forwarder;

namespace Pipeline.Client.Tests.Server;

/// <summary>Which node answers a read that reaches a follower.</summary>
public sealed class ClusterGateTests
{
    [Theory]
    [InlineData(false, false, "follower", "own copy")]
    [InlineData(false, true, "", "own copy")]
    [InlineData(false, true, "leader", "http://n2")]
    [InlineData(false, false, "", "http://n2")]
    // Its copy is of long ago, or empty, until it has read the log once.
    [InlineData(true, false, "follower", "http://n2")]
    [InlineData(true, true, "", "http://n2")]
    public async Task A_read_goes_to_the_copy_that_it_wants_and_never_to_one_that_is_not_whole(
        bool isJoining,
        bool readsAtFollowers,
        string wants,
        string answeredBy
    )
    {
        var forwarder = new Forwarder();
        var cluster = new Follower { IsJoining = isJoining, ReadsAtFollowers = readsAtFollowers };
        var gate = new ClusterGate(cluster, forwarder, new ServerLimits(), TimeProvider.System, NullLogger.Instance);
        await gate.RunAsync(Read(wants), forwarder.AnswerHere);
        Assert.Equal(answeredBy, forwarder.AnsweredBy);
    }

    /// <summary>The copy of another node may be older than what this node has answered before.</summary>
    [Fact]
    public async Task A_read_of_the_own_copy_stays_here_when_the_node_stops_leading_meanwhile()
    {
        var forwarder = new Forwarder();
        var cluster = new Follower { Leads = true };
        var gate = new ClusterGate(cluster, forwarder, new ServerLimits(), TimeProvider.System, NullLogger.Instance);
        var routed = gate.RunAsync(Read("follower"), forwarder.AnswerHere);
        Assert.Null(forwarder.AnsweredBy);
        cluster.Leads = false;
        await routed;
        Assert.Equal("own copy", forwarder.AnsweredBy);
    }

    /// <summary>The node that forwarded it may have answered with a newer state before.</summary>
    [Theory]
    [InlineData(false, "follower")]
    [InlineData(true, "")]
    public async Task A_forwarded_read_is_never_answered_from_a_copy(bool readsAtFollowers, string wants)
    {
        var forwarder = new Forwarder();
        var cluster = new Follower { ReadsAtFollowers = readsAtFollowers };
        var gate = new ClusterGate(cluster, forwarder, new ServerLimits(), TimeProvider.System, NullLogger.Instance);
        var context = Read(wants);
        context.Request.Headers[ForwardedRequest.NodeHeader] = "n3";
        await gate.RunAsync(context, forwarder.AnswerHere);
        Assert.Equal("http://n2", forwarder.AnsweredBy);
    }

    [Theory]
    [InlineData("GET", "/streams/queries", "own copy")]
    [InlineData("GET", "/streams/downloads", "own copy")]
    [InlineData("DELETE", "/streams/downloads", "own copy")]
    [InlineData("DELETE", "/docs", "http://n2")]
    [InlineData("DELETE", "/queries", "http://n2")]
    public async Task The_node_that_sends_a_file_tells_how_far_it_is_and_cancels_it(
        string method,
        string path,
        string answeredBy
    )
    {
        var forwarder = new Forwarder();
        var gate = new ClusterGate(
            new Follower { ReadsAtFollowers = true },
            forwarder,
            new ServerLimits(),
            TimeProvider.System,
            NullLogger.Instance
        );
        var context = new DefaultHttpContext();
        (context.Request.Method, context.Request.Path) = (method, "/databases/shop" + path);
        await gate.RunAsync(context, forwarder.AnswerHere);
        Assert.Equal(answeredBy, forwarder.AnsweredBy);
    }

    private static DefaultHttpContext Read(string wants)
    {
        var context = new DefaultHttpContext();
        (context.Request.Method, context.Request.Path) = ("GET", "/databases/shop/docs");
        if (wants.Length > 0)
            context.Request.Headers[ClusterGate.ReadHeader] = wants;
        return context;
    }

    private sealed class Forwarder : IHttpForwarder
    {
        public string? AnsweredBy { get; private set; }

        public Task AnswerHere(HttpContext context)
        {
            AnsweredBy = "own copy";
            return Task.CompletedTask;
        }

        public ValueTask<ForwarderError> SendAsync(
            HttpContext context,
            string destinationPrefix,
            HttpMessageInvoker httpClient,
            ForwarderRequestConfig requestConfig,
            HttpTransformer transformer
        )
        {
            AnsweredBy = destinationPrefix;
            return new(ForwarderError.None);
        }

        public ValueTask<ForwarderError> SendAsync(
            HttpContext context,
            string destinationPrefix,
            HttpMessageInvoker httpClient,
            ForwarderRequestConfig requestConfig,
            HttpTransformer transformer,
            CancellationToken cancellationToken
        ) => SendAsync(context, destinationPrefix, httpClient, requestConfig, transformer);
    }

    private sealed class Follower : IServerCluster
    {
        public ServerNode Self { get; } = new("n1", new Uri("http://n1"));

        public string Database => "shop";

        public bool IsJoining { get; init; }

        public bool Leads { get; set; }

        public bool HoldsLease => false;

        public bool ReadsAtFollowers { get; init; }

        public IReadOnlyList<ServerNode> Nodes => [Leader, Self];

        public long TopologyVersion => 1;

        public IReadOnlyList<CertificateThumbprint> Certificates => [];

        public HttpMessageInvoker Client { get; } = new(new SocketsHttpHandler());

        public ServerNode Leader { get; } = new("n2", new Uri("http://n2"));

        public Task WhenChangedAsync(CancellationToken ct) => Task.Delay(Timeout.InfiniteTimeSpan, ct);

        public Task<bool> ConfirmAsync(CancellationToken ct) => Task.FromResult(false);

        public Task WaitForPositionAsync(long position, CancellationToken ct) => Task.CompletedTask;
    }
}
