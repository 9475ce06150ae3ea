using System.Security.Claims;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Hosting.Mapping;

/// <summary>The clients that an application's users are for a mapped server. Thread-safe.</summary>
/// <remarks>
/// The server counts queries and streams by client, so a user must be the same client in each request.
/// </remarks>
internal sealed class MappedUsers(PipelineAccess access)
{
    // Beyond this, all are forgotten, and the counts of their queries begin anew.
    private const int MaxKept = 10_000;
    private readonly Lock _gate = new();
    private readonly Dictionary<(string Rights, string Name), ClientIdentity> _known = [];

    /// <summary>The client that a user is.</summary>
    public ClientIdentity Of(ClaimsPrincipal user)
    {
        var rights = access.Of(user).ToList();
        var name = NameOf(user);
        if (rights.Count == 0)
            return Kept(("", name), () => ClientIdentity.Unknown(name));
        var databases = new SortedDictionary<string, DatabaseAccess>(StringComparer.OrdinalIgnoreCase);
        foreach (var right in rights)
        {
            foreach (var database in right.Databases)
            {
                databases[database] =
                    databases.GetValueOrDefault(database) is var known && known > right.Access ? known : right.Access;
            }
        }

        var (isAdmin, seesMetrics) = (rights.Exists(r => r.IsAdmin), rights.Exists(r => r.SeesMetrics));
        var key = $"{isAdmin} {seesMetrics} {string.Join('|', databases.Select(d => $"{d.Key}={d.Value}"))}";
        return Kept((key, name), () => ClientIdentity.OfUser(name, isAdmin, seesMetrics, databases));
    }

    private ClientIdentity Kept((string, string) key, Func<ClientIdentity> make)
    {
        lock (_gate)
        {
            if (_known.TryGetValue(key, out var known))
                return known;
            if (_known.Count >= MaxKept)
                _known.Clear();
            return _known[key] = make();
        }
    }

    private static string NameOf(ClaimsPrincipal user) =>
        user.Identities.Any(i => i.IsAuthenticated)
            ? $"the user '{user.Identity?.Name ?? user.FindFirstValue(ClaimTypes.NameIdentifier) ?? user.FindFirstValue("sub") ?? "without a name"}'"
            : "a user who is not authenticated";
}
