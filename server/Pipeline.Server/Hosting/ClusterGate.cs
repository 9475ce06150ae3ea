using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Answers;
using Pipeline.Server.Cluster;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Yarp.ReverseProxy.Forwarder;

namespace Pipeline.Server.Hosting;

/// <summary>
/// Routes each request: at the leader to its handler, at a follower to the leader, or to the handler if the node's own
/// copy suffices.
/// </summary>
internal sealed class ClusterGate(
    IServerCluster cluster,
    IHttpForwarder forwarder,
    ServerLimits limits,
    TimeProvider time,
    ILogger logger
)
{
    /// <summary>
    /// The header for the copy that a read wants: <c>leader</c>, <c>follower</c>, or <c>log</c> for a confirmed leader.
    /// </summary>
    public const string ReadHeader = "Pipeline-Read";

    /// <summary>The header for the position that the copy must have reached before it is read.</summary>
    public const string PositionHeader = "Pipeline-Wait-For-Position";

    /// <summary>
    /// How long a request waits for a leader, so that a planned change of leader delays it but does not fail it.
    /// </summary>
    private static readonly TimeSpan LeaderWait = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    /// <summary>How long a web socket has to close cleanly after this node stopped leading.</summary>
    private static readonly TimeSpan CloseTime = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How often a forwarded request checks whether its node still leads. It is abandoned the second time that another
    /// node leads: a leader that handed over cleanly has answered by then, a hung one never will.
    /// </summary>
    private static readonly TimeSpan LeaderCheckInterval = TimeSpan.FromMilliseconds(500);
    private readonly ForwardedRequest _transformer = new(cluster.Self.Name);
    private readonly ForwarderRequestConfig _requests = new()
    {
        ActivityTimeout = limits.MaxRequestTime,
        Version = HttpVersion.Version11,
    };

    /// <summary>Routes a request, or answers it with an error.</summary>
    public Task RunAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Request.Headers.TryGetValue("Topology-Etag", out var known))
            Refresh(context, known.ToString());
        return ClusterRoutes.IsOfEachNode(context.Request.Path, cluster.IsFilling)
            ? next(context)
            : ErrorAnswer.GuardAsync(
                context,
                logger,
                (Gate: this, context, next),
                static r => r.Gate.RouteAsync(r.context, r.next)
            );
    }

    private async Task RouteAsync(HttpContext context, RequestDelegate next)
    {
        var isRead = ClusterRoutes.IsRead(context.Request);
        // A client's reads at one node never go back in time. So this node answers them from its own copy for as long
        // as it follows, and no node answers a forwarded one from its copy: that may be older than this one.
        var wantsOwnCopy = isRead && WantsOwnCopy(context.Request) && ForwardedRequest.NodesOf(context).Length == 0;
        var began = time.GetTimestamp();
        while (true)
        {
            if (wantsOwnCopy && cluster is { Leads: false, IsJoining: false })
            {
                await WaitForPositionAsync(context).ConfigureAwait(false);
                await next(context).ConfigureAwait(false);
                return;
            }
            var leader = await FindLeaderAsync(context, began).ConfigureAwait(false);
            if (leader is null)
            {
                if (isRead && WantsConfirmation(context.Request))
                {
                    if (!await ConfirmAsync(context, began).ConfigureAwait(false))
                        continue;
                }
                if (isRead)
                    context.Response.OnStarting(CheckLease, context);
                await (
                    context.Request.Headers.Upgrade.Count > 0 ? RunWhileLeadingAsync(context, next) : next(context)
                ).ConfigureAwait(false);
                return;
            }
            if (wantsOwnCopy && !cluster.IsJoining)
                continue; // it led until now
            if (MountedRequest.Is(context))
            {
                throw new NotLeadingException(
                    $"'{cluster.Self.Name}' follows '{leader.Name}', which alone can answer this. A request through another web application is not passed on, because its user is known here only. Send it to {leader.Url}."
                );
            }
            if (await TryForwardAsync(context, leader, began).ConfigureAwait(false))
                return;
            // The leader is unreachable, and nothing was sent to it. Its successor will be known soon.
            await Task.Delay(PollInterval, time, context.RequestAborted).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// A copy that may be stale must not answer, not even in part. The snapshot was taken before the answer begins, so
    /// checking the lease now is enough.
    /// </summary>
    private Task CheckLease(object state)
    {
        var context = (HttpContext)state;
        if (!cluster.HoldsLease && context.Response.StatusCode < StatusCodes.Status500InternalServerError)
        {
            ServerLog.LeaseLost(logger, context.Request.Method, context.Request.Path);
            context.Abort();
        }
        return Task.CompletedTask;
    }

    /// <summary>
    /// A web socket of changes or of a subscription ends when this node stops leading, so that its client connects to
    /// the next leader.
    /// </summary>
    private async Task RunWhileLeadingAsync(HttpContext context, RequestDelegate next)
    {
        using var answered = new CancellationTokenSource();
        using var over = new CancellationTokenSource();
        context.Features.Set(new LeadershipFeature(cluster, over.Token));
        var watch = EndAfterTermAsync(context, over, answered.Token);
        try
        {
            await next(context).ConfigureAwait(false);
        }
        finally
        {
            await answered.CancelAsync().ConfigureAwait(false);
            await watch.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task EndAfterTermAsync(HttpContext context, CancellationTokenSource over, CancellationToken ct)
    {
        while (cluster.Leads)
            await cluster.WhenChangedAsync(ct).ConfigureAwait(false);
        await over.CancelAsync().ConfigureAwait(false);
        await Task.Delay(CloseTime, time, ct).ConfigureAwait(false);
        context.Abort();
    }

    /// <summary>Whether the log confirms that this node leads; false if the caller should try again.</summary>
    private async Task<bool> ConfirmAsync(HttpContext context, long began)
    {
        var left = LeaderWait - time.GetElapsedTime(began);
        if (left > TimeSpan.Zero)
        {
            try
            {
                if (
                    await cluster
                        .ConfirmAsync(context.RequestAborted)
                        .WaitAsync(left, time, context.RequestAborted)
                        .ConfigureAwait(false)
                )
                {
                    return true;
                }
                await Task.Delay(PollInterval, time, context.RequestAborted).ConfigureAwait(false);
                return false;
            }
            catch (TimeoutException)
            {
                // The error below reports it.
            }
        }
        throw new NotLeadingException(
            $"The log has not confirmed within {LeaderWait.TotalSeconds:0} s that '{cluster.Self.Name}' leads. Send the request again in a moment."
        );
    }

    /// <summary>The leader, if it is another node; null if this one leads.</summary>
    private async ValueTask<ServerNode?> FindLeaderAsync(HttpContext context, long began)
    {
        if (cluster is { Leads: true, HoldsLease: true })
            return null;
        var forwardedBy = ForwardedRequest.NodesOf(context);
        while (true)
        {
            if (cluster.Leads)
            {
                if (cluster.HoldsLease)
                    return null;
            }
            else if (
                cluster.Leader is { } leader
                && leader.Name != cluster.Self.Name
                && forwardedBy.Length < ForwardedRequest.MaxForwards
            )
            {
                return leader;
            }
            if (time.GetElapsedTime(began) >= LeaderWait)
            {
                throw new NotLeadingException(
                    forwardedBy.Length == 0
                        ? $"No node leads the cluster now, as far as '{cluster.Self.Name}' knows. Nothing was changed; send the request again in a moment."
                        : $"'{forwardedBy[^1]}' passed this request on to '{cluster.Self.Name}', which does not lead. Nothing was changed; send the request again in a moment."
                );
            }
            await Task.Delay(PollInterval, time, context.RequestAborted).ConfigureAwait(false);
        }
    }

    /// <summary>Forwards a request; false if no connection was made, so that it can be retried.</summary>
    private async Task<bool> TryForwardAsync(HttpContext context, ServerNode leader, long began)
    {
        using var deposed = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted);
        var watch = WatchLeader(leader, deposed);
        ForwarderError error;
        await using (watch.ConfigureAwait(false))
        {
            error = await forwarder
                .SendAsync(
                    context,
                    leader.Url.GetLeftPart(UriPartial.Authority),
                    cluster.Client,
                    _requests,
                    _transformer,
                    deposed.Token
                )
                .ConfigureAwait(false);
        }
        if (error is ForwarderError.None || context.RequestAborted.IsCancellationRequested)
            return true;
        if (context.Response.HasStarted)
        {
            context.Abort();
            return true;
        }
        var cause = context.Features.Get<IForwarderErrorFeature>()?.Exception;
        var isUnsent = cause is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError };
        if (isUnsent && time.GetElapsedTime(began) < LeaderWait)
        {
            // The forwarder has written its error into the response.
            context.Response.StatusCode = StatusCodes.Status200OK;
            context.Features.Set<IForwarderErrorFeature>(null);
            return false;
        }
        if (isUnsent)
        {
            throw new NotLeadingException(
                $"The leader '{leader.Name}' cannot be reached at {leader.Url}, and no other node leads yet. Nothing was changed; send the request again in a moment."
            );
        }
        throw new LeaderLostException(
            $"The leader '{leader.Name}' did not answer ({error}). It is not known whether the request was carried out: send it again; a write with a change vector is then safe.",
            cause
        );
    }

    private ITimer WatchLeader(ServerNode leader, CancellationTokenSource deposed)
    {
        var others = 0;
        return time.CreateTimer(
            _ =>
            {
                others = cluster.Leader is { } now && now.Name != leader.Name ? others + 1 : 0;
                if (others == 2)
                    deposed.Cancel();
            },
            null,
            LeaderCheckInterval,
            LeaderCheckInterval
        );
    }

    private bool WantsOwnCopy(HttpRequest request) =>
        request.Headers[ReadHeader] is [{ Length: > 0 } wanted, ..]
            ? wanted.Equals("follower", StringComparison.OrdinalIgnoreCase)
            : cluster.ReadsAtFollowers;

    private bool WantsConfirmation(HttpRequest request) =>
        request.Headers[ReadHeader] is [{ Length: > 0 } wanted, ..]
            ? wanted.Equals("log", StringComparison.OrdinalIgnoreCase)
            : cluster.ReadsConfirmed;

    private async Task WaitForPositionAsync(HttpContext context)
    {
        if (context.Request.Headers[PositionHeader] is not [{ Length: > 0 } text, ..])
            return;
        if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position))
            throw new BadRequestException($"{PositionHeader} is '{text}'; it must be a position, a whole number");
        try
        {
            await cluster
                .WaitForPositionAsync(position, context.RequestAborted)
                .WaitAsync(limits.MaxRequestTime, time, context.RequestAborted)
                .ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            throw new TimeoutException(
                $"'{cluster.Self.Name}' did not reach position {position} within {limits.MaxRequestTime.TotalSeconds:0.#} s.",
                e
            );
        }
    }

    /// <summary>Makes RavenDB's clients ask for the topology again if theirs is old.</summary>
    private void Refresh(HttpContext context, string known)
    {
        if (
            long.TryParse(known.Trim('"'), NumberStyles.Integer, CultureInfo.InvariantCulture, out var version)
            && version < cluster.TopologyVersion
        )
        {
            context.Response.Headers["Refresh-Topology"] = "true";
        }
    }
}
