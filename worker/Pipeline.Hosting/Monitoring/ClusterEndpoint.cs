using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Cluster;
using Pipeline.Hosting.Cluster;
using Pipeline.Server.Security;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>
/// <c>/cluster/…</c>: the nodes and their state. Followers answer <c>status</c>, <c>history</c>, <c>node</c>,
/// <c>digest</c>, <c>copy</c>, <c>page</c>, <c>backup</c> and <c>refill</c> about themselves, and pass the rest on to the leader.
/// </summary>
internal static class ClusterEndpoint
{
    /// <summary>Adds the endpoints; a worker that is alone answers that it is.</summary>
    public static void Map(IEndpointRouteBuilder routes, Func<ClusterMember?> cluster)
    {
        routes
            .MapGet(
                "/cluster/status",
                context =>
                    AdminAnswer.DoAsync(
                        context,
                        async ct => await Member(cluster).DescribeAsync(ct).ConfigureAwait(false)
                    )
            )
            .For(ServerClearance.Known);
        routes
            .MapGet("/cluster/node", context => AdminAnswer.DoAsync(context, () => Member(cluster).View()))
            .For(ServerClearance.Known);
        routes
            .MapGet(
                "/cluster/history",
                context =>
                    AdminAnswer.DoAsync(
                        context,
                        () =>
                        {
                            var (span, points) = HistoryEndpoint.AskedOf(context);
                            return Member(cluster).ReadHistory(span, points);
                        }
                    )
            )
            .For(ServerClearance.Known);
        routes.MapGet(
            "/cluster/digest",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var at = Number(context, "transaction");
                        var member = Member(cluster);
                        return new NodeDigest(
                            member.Self.Name,
                            await member.DigestAsync(at, ct).ConfigureAwait(false),
                            null
                        );
                    }
                )
        );
        routes.MapPost(
            "/cluster/nodes",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = AdminAnswer.Required(context, "name", "n1");
                        var url = AdminAnswer.Required(context, "url", "http://127.0.0.1:8080");
                        // A node of an older program does not name a format.
                        var format = context.Request.Query.ContainsKey("format") ? Number(context, "format") : 0;
                        var actors = context.Request.Query["actors"] is [{ Length: > 0 } given, ..] ? given : null;
                        var process = context.Request.Query["process"] is [{ Length: > 0 } id, ..] ? id : null;
                        return new
                        {
                            added = await Member(cluster)
                                .AddAsync(name, url, checked((int)Math.Min(format, int.MaxValue)), actors, process, ct)
                                .ConfigureAwait(false),
                        };
                    }
                )
        );
        routes.MapDelete(
            "/cluster/nodes",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = AdminAnswer.Required(context, "name", "n1");
                        await Member(cluster).RemoveAsync(name, ct).ConfigureAwait(false);
                        return new { removed = name };
                    }
                )
        );
        routes.MapPost(
            "/cluster/holds",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = AdminAnswer.Required(context, "name", "n1");
                        var place = Number(context, "place");
                        var origin = context.Request.Query["origin"] is [{ Length: > 0 } given, ..] ? given : null;
                        return new
                        {
                            noted = await Member(cluster).HoldAsync(name, place, origin, ct).ConfigureAwait(false),
                        };
                    }
                )
        );
        routes.MapGet("/cluster/copy", context => CopyAsync(context, cluster));
        routes.MapGet("/cluster/page", context => PageAsync(context, cluster));
        routes.MapPost(
            "/cluster/refill",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    () =>
                    {
                        var member = Member(cluster);
                        member.RequestRefill();
                        return new { refills = member.Self.Name };
                    }
                )
        );
        routes.MapPost(
            "/cluster/handover",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var to = AdminAnswer.Required(context, "to", "n2");
                        var took = await Member(cluster).HandOverAsync(to, ct).ConfigureAwait(false);
                        return new { leader = to, milliseconds = Math.Round(took.TotalMilliseconds, 1) };
                    }
                )
        );
        routes.MapPost(
            "/cluster/end",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var next = AdminAnswer.Required(context, "next", "kafka-2/pipeline-shop");
                        return await Member(cluster).EndLogAsync(next, ct).ConfigureAwait(false);
                    }
                )
        );
        routes.MapPost(
            "/cluster/verify",
            context =>
                AdminAnswer.DoAsync(context, async ct => await Member(cluster).VerifyAsync(ct).ConfigureAwait(false))
        );
    }

    /// <summary>What a node answers that is being filled, and has no database yet.</summary>
    public static void MapFilling(IEndpointRouteBuilder routes, NodeRefill refill)
    {
        routes
            .MapGet(
                "/cluster/status",
                context =>
                    AdminAnswer.DoAsync(context, async ct => await refill.DescribeAsync(ct).ConfigureAwait(false))
            )
            .For(ServerClearance.Known);
        routes
            .MapGet("/cluster/node", context => AdminAnswer.DoAsync(context, () => refill.View()))
            .For(ServerClearance.Known);
    }

    /// <summary>Sends a node a copy of this one's stores: everything that is in them, so no client gets it.</summary>
    private static async Task CopyAsync(HttpContext context, Func<ClusterMember?> cluster)
    {
        var receiver = context.Request.Query["node"].ToString();
        try
        {
            var member = Member(cluster);
            if (!await IsNodeAsync(context).ConfigureAwait(false))
                return;
            using var copy = member.BeginCopy(receiver);
            context.Response.ContentType = "application/octet-stream";
            context.Response.Headers.CacheControl = "no-store";
            context.Response.Headers[NodeRefill.CopyBytesHeader] = copy.Bytes.ToString(CultureInfo.InvariantCulture);
            await member.SendAsync(copy, receiver, context.Response.Body, context.RequestAborted).ConfigureAwait(false);
        }
        catch (ClusterException e) when (!context.Response.HasStarted)
        {
            await AdminAnswer
                .WriteAsync(context, new { error = e.Message }, StatusCodes.Status409Conflict)
                .ConfigureAwait(false);
        }
        catch (Exception e)
            when (context.Response.HasStarted && e is StorageException or CopyOverrunException or CopyRefusedException)
        {
            // The copy's last frame has told the receiver why, and it must arrive. The member has logged it.
        }
        catch (Exception e)
            when (e is ClusterException or StorageException or IOException or OperationCanceledException)
        {
            // The receiver must not take a part for the whole. The member has logged it.
            context.Abort();
        }
    }

    /// <summary>Sends a node a page in place of its damaged one: it may hold any document, so no client gets it.</summary>
    private static async Task PageAsync(HttpContext context, Func<ClusterMember?> cluster)
    {
        try
        {
            var member = Member(cluster);
            if (!await IsNodeAsync(context).ConfigureAwait(false))
                return;
            var copy = await member
                .CopyPageAsync(Number(context, "page"), Number(context, "transaction"), context.RequestAborted)
                .ConfigureAwait(false);
            context.Response.ContentType = "application/octet-stream";
            context.Response.ContentLength = copy.Bytes.Length;
            context.Response.Headers.CacheControl = "no-store";
            context.Response.Headers[ClusterMember.TransactionHeader] = copy.Transaction.ToString(
                CultureInfo.InvariantCulture
            );
            await context.Response.Body.WriteAsync(copy.Bytes, context.RequestAborted).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e is ClusterException or WorkerException or StorageException && !context.Response.HasStarted)
        {
            await AdminAnswer
                .WriteAsync(
                    context,
                    new { error = e.Message },
                    e is WorkerException ? StatusCodes.Status400BadRequest : StatusCodes.Status409Conflict
                )
                .ConfigureAwait(false);
        }
    }

    /// <summary>Whether a node asks; anybody else gets 403.</summary>
    /// <param name="context">The request.</param>
    public static async Task<bool> IsNodeAsync(HttpContext context)
    {
        var sender = ClientIdentity.Of(context);
        if (sender == ClientIdentity.Trusted || sender.IsNode)
            return true;
        await AdminAnswer
            .WriteAsync(
                context,
                new { error = $"this is for nodes of the cluster; {sender.Name} is none" },
                StatusCodes.Status403Forbidden
            )
            .ConfigureAwait(false);
        return false;
    }

    /// <summary>A required whole number of the query string.</summary>
    /// <exception cref="WorkerException">It is missing, or is none.</exception>
    public static long Number(HttpContext context, string name) =>
        long.TryParse(
            AdminAnswer.Required(context, name, "1000"),
            NumberStyles.None,
            CultureInfo.InvariantCulture,
            out var number
        )
            ? number
            : throw new WorkerException($"{name} must be a whole number", ExitCodes.Usage);

    /// <summary>This worker as a node.</summary>
    /// <exception cref="ClusterException">It is alone.</exception>
    public static ClusterMember Member(Func<ClusterMember?> cluster) =>
        cluster() ?? throw new ClusterException("this worker is alone: its configuration has no section 'cluster'");
}
