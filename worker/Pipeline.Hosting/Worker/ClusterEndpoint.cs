using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Hosting.Cluster;
using Pipeline.Server.Security;

namespace Pipeline.Worker.Hosting;

/// <summary>
/// <c>/cluster/…</c>: the nodes and their state. Followers answer <c>status</c>, <c>node</c> and <c>digest</c> about
/// themselves, and pass the rest on to the leader.
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
        routes.MapGet(
            "/cluster/digest",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var at = long.Parse(
                            AdminAnswer.Required(context, "transaction", "1000"),
                            NumberStyles.None,
                            CultureInfo.InvariantCulture
                        );
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
                        return new { added = await Member(cluster).AddAsync(name, url, ct).ConfigureAwait(false) };
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
            "/cluster/verify",
            context =>
                AdminAnswer.DoAsync(context, async ct => await Member(cluster).VerifyAsync(ct).ConfigureAwait(false))
        );
    }

    private static ClusterMember Member(Func<ClusterMember?> cluster) =>
        cluster() ?? throw new ClusterException("this worker is alone: its configuration has no section 'cluster'");
}
