using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Cluster;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// What RavenDB's clients ask about the nodes. A server that is alone has one node, "A", at the address that the client
/// called. A node of a cluster names all of them, the leader first: clients send their requests there.
/// </summary>
internal sealed class TopologyEndpoints(ServerDatabases databases, IServerCluster? cluster)
{
    private const string Alone = "A";

    private string Self => cluster?.Self.Name ?? Alone;

    private long Version => cluster is null ? 1 : Math.Max(1, cluster.TopologyVersion);

    /// <summary>Answers <c>/cluster/node-info</c>.</summary>
    public void WriteNode(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("NodeTag", Self);
        json.WriteString("TopologyId", ServerEndpoints.ServerId);
        json.WriteString(nameof(ServerEndpoints.ServerId), ServerEndpoints.ServerId);
        json.WriteString("ServerRole", "Member");
        json.WriteString("ClusterStatus", cluster is null ? "Leader of a cluster of one" : $"{Role()} of a cluster");
        json.WriteString("CurrentState", Role());
        json.WriteNumber("NumberOfCores", Environment.ProcessorCount);
        json.WriteNull("Certificate");
        json.WriteBoolean("HasFixedPort", true);
        json.WriteNumber("ServerSchemaVersion", 1);
        json.WriteEndObject();
    }

    /// <summary>Answers <c>/cluster/topology</c>.</summary>
    public void WriteCluster(HttpContext context, Utf8JsonWriter json)
    {
        var nodes = Nodes(context);
        json.WriteStartObject();
        json.WriteStartObject("Topology");
        json.WriteString("TopologyId", ServerEndpoints.ServerId);
        foreach (var name in (string[])["AllNodes", "Members"])
        {
            json.WriteStartObject(name);
            foreach (var (node, url) in nodes)
                json.WriteString(node, url);
            json.WriteEndObject();
        }
        foreach (var name in (string[])["Promotables", "Watchers"])
        {
            json.WriteStartObject(name);
            json.WriteEndObject();
        }
        json.WriteString("LastNodeId", nodes[^1].Name);
        json.WriteNumber("Etag", Version);
        json.WriteEndObject();
        json.WriteNumber("Etag", Version);
        json.WriteString("Leader", cluster is null ? Alone : cluster.Leader?.Name);
        json.WriteString("NodeTag", Self);
        json.WriteNumber("CurrentTerm", Version);
        json.WriteString("CurrentState", Role());
        json.WriteStartObject("NodeLicenseDetails");
        json.WriteEndObject();
        json.WriteStartObject("Status");
        json.WriteEndObject();
        json.WriteEndObject();
    }

    /// <summary>Answers <c>/topology?name=DATABASE</c>.</summary>
    public void WriteDatabase(HttpContext context, Utf8JsonWriter json)
    {
        var name = context.Request.Query["name"].ToString();
        ClientIdentity.Of(context).Demand(name, DatabaseAccess.Read, "The topology");
        if (!databases.TryGet(name, out var database))
            throw new DatabaseMissingException(name);
        json.WriteStartObject();
        json.WriteStartArray("Nodes");
        foreach (var (node, url) in Nodes(context))
        {
            json.WriteStartObject();
            json.WriteString("Url", url);
            json.WriteString("ClusterTag", node);
            json.WriteString("Database", database.Name);
            json.WriteString("ServerRole", "Member");
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteNumber("Etag", Version);
        json.WriteEndObject();
    }

    private string Role() => cluster is null or { Leads: true } ? "Leader" : "Follower";

    private List<(string Name, string Url)> Nodes(HttpContext context)
    {
        // Through another web application only that one's address leads here.
        if (cluster is null || MountedRequest.Is(context))
            return [(Self, ServerEndpoints.UrlOf(context))];
        var nodes = cluster.Nodes;
        return nodes.Count == 0 ? [(Self, Text(cluster.Self.Url))] : [.. nodes.Select(n => (n.Name, Text(n.Url)))];
    }

    private static string Text(Uri url) => url.GetLeftPart(UriPartial.Authority);
}
