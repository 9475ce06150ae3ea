using System.Security.Claims;
using Pipeline.Server.Settings;

namespace Pipeline.Hosting;

/// <summary>
/// What the users of an application may do with the databases below <c>MapPipeline</c>, by their roles and claims. A
/// user gets every right that one of the rules gives; without any, the databases are not even listed. Configured at the
/// start; thread-safe after that.
/// </summary>
public sealed class PipelineAccess
{
    private readonly List<(Func<ClaimsPrincipal, bool> Applies, PipelineRights Rights)> _rules = [];

    /// <summary>Gives rights to the users with a role.</summary>
    /// <param name="role">The role, as <see cref="ClaimsPrincipal.IsInRole"/> knows it.</param>
    /// <param name="rights">The rights.</param>
    public PipelineAccess ForRole(string role, PipelineRights rights)
    {
        ArgumentException.ThrowIfNullOrEmpty(role);
        return For(user => user.IsInRole(role), rights);
    }

    /// <summary>Gives rights to the users with a claim.</summary>
    /// <param name="type">The claim's type.</param>
    /// <param name="value">The claim's value.</param>
    /// <param name="rights">The rights.</param>
    public PipelineAccess ForClaim(string type, string value, PipelineRights rights)
    {
        ArgumentException.ThrowIfNullOrEmpty(type);
        ArgumentNullException.ThrowIfNull(value);
        return For(user => user.HasClaim(type, value), rights);
    }

    /// <summary>Gives rights to the users for whom a condition is true.</summary>
    /// <param name="user">
    /// The condition. It is asked for each request, at the same time for several, so it must be fast and thread-safe.
    /// </param>
    /// <param name="rights">The rights.</param>
    public PipelineAccess For(Func<ClaimsPrincipal, bool> user, PipelineRights rights)
    {
        ArgumentNullException.ThrowIfNull(user);
        ArgumentNullException.ThrowIfNull(rights);
        _rules.Add((user, rights));
        return this;
    }

    /// <summary>All rights of a user, one after another. Nobody who is not authenticated has any.</summary>
    internal IEnumerable<PipelineRights> Of(ClaimsPrincipal user) =>
        user.Identities.Any(i => i.IsAuthenticated) ? _rules.Where(r => r.Applies(user)).Select(r => r.Rights) : [];
}

/// <summary>Rights on the databases of a worker. Immutable.</summary>
public sealed record PipelineRights
{
    private PipelineRights() { }

    /// <summary>
    /// Everything: make and delete databases, define indexes in C#, which run as the application, and all with each
    /// database.
    /// </summary>
    public static PipelineRights Admin { get; } = new() { IsAdmin = true };

    /// <summary>
    /// Reads the figures of all databases at <c>/metrics</c> and <c>/health/ready</c>, and no other data.
    /// </summary>
    public static PipelineRights Metrics { get; } = new() { SeesMetrics = true };

    /// <summary>To read documents, run queries and view statistics of some databases.</summary>
    public static PipelineRights Read(params IReadOnlyList<string> databases) => On(DatabaseAccess.Read, databases);

    /// <summary>
    /// To store and delete documents and work on subscriptions of some databases, and <see cref="Read"/>.
    /// </summary>
    public static PipelineRights ReadWrite(params IReadOnlyList<string> databases) =>
        On(DatabaseAccess.ReadWrite, databases);

    /// <summary>
    /// To define indexes and the revisions to keep of some databases, and <see cref="ReadWrite"/>. C# needs
    /// <see cref="Admin"/>.
    /// </summary>
    public static PipelineRights AdminOf(params IReadOnlyList<string> databases) => On(DatabaseAccess.Admin, databases);

    internal bool IsAdmin { get; private init; }

    internal bool SeesMetrics { get; private init; }

    internal DatabaseAccess Access { get; private init; }

    internal IReadOnlyList<string> Databases { get; private init; } = [];

    private static PipelineRights On(DatabaseAccess access, IReadOnlyList<string> databases)
    {
        ArgumentNullException.ThrowIfNull(databases);
        return databases.Count > 0 && databases.All(d => !string.IsNullOrWhiteSpace(d))
            ? new PipelineRights { Access = access, Databases = [.. databases] }
            : throw new ArgumentException(
                "name the databases; PipelineRights.Admin has all of them",
                nameof(databases)
            );
    }
}
