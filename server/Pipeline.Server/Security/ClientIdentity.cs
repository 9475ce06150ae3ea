using Microsoft.AspNetCore.Http;
using Pipeline.Database.Certificates;
using Pipeline.Server.Errors;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Security;

/// <summary>Who sends a request, and what he may do. Immutable.</summary>
internal sealed class ClientIdentity
{
    private readonly IReadOnlyDictionary<string, DatabaseAccess> _databases;

    /// <summary>One of the clients that are known.</summary>
    public ClientIdentity(ClientPermission permission)
        : this(
            permission.Name,
            isKnown: true,
            permission.IsAdmin,
            new Dictionary<string, DatabaseAccess>(permission.Databases, StringComparer.OrdinalIgnoreCase)
        ) => (SeesMetrics, Thumbprint) = (permission.SeesMetrics, permission.Thumbprint);

    private ClientIdentity(
        string name,
        bool isKnown,
        bool isAdmin,
        IReadOnlyDictionary<string, DatabaseAccess> databases
    ) => (Name, IsKnown, IsAdmin, _databases) = (name, isKnown, isAdmin, databases);

    /// <summary>A user of the application that the server is mapped into.</summary>
    public static ClientIdentity OfUser(
        string name,
        bool isAdmin,
        bool seesMetrics,
        IReadOnlyDictionary<string, DatabaseAccess> databases
    ) =>
        new(
            name,
            isKnown: true,
            isAdmin,
            new Dictionary<string, DatabaseAccess>(databases, StringComparer.OrdinalIgnoreCase)
        )
        {
            SeesMetrics = seesMetrics,
        };

    /// <summary>The identity of every client of a server without authentication.</summary>
    public static ClientIdentity Trusted { get; } =
        new("anybody", isKnown: true, isAdmin: true, new Dictionary<string, DatabaseAccess>());

    /// <summary>Another node of the cluster, which may do everything.</summary>
    public static ClientIdentity Node { get; } =
        new("a node of the cluster", isKnown: true, isAdmin: true, new Dictionary<string, DatabaseAccess>())
        {
            IsNode = true,
        };

    /// <summary>Somebody whom nothing is allowed.</summary>
    public static ClientIdentity Unknown(string description) =>
        new(description, isKnown: false, isAdmin: false, new Dictionary<string, DatabaseAccess>());

    /// <summary>The client's name, or the fault of its certificate, for logs and errors.</summary>
    public string Name { get; }

    /// <summary>Whether it is one of the clients that are allowed something.</summary>
    public bool IsKnown { get; }

    /// <summary>Whether it may do everything.</summary>
    public bool IsAdmin { get; }

    /// <summary>Whether it is another node of the cluster, which may ask for its clients.</summary>
    public bool IsNode { get; private init; }

    /// <summary>The certificate of a known client; null for others.</summary>
    public CertificateThumbprint? Thumbprint { get; private init; }

    /// <summary>Whether it may see the figures of all databases.</summary>
    public bool SeesMetrics { get; private init; }

    /// <summary>Returns the right on a database.</summary>
    public DatabaseAccess On(string database) =>
        IsAdmin ? DatabaseAccess.Admin : _databases.GetValueOrDefault(database);

    /// <summary>Makes sure that it may do something with a database.</summary>
    /// <exception cref="AccessDeniedException">It may not.</exception>
    public void Demand(string database, DatabaseAccess needed, string what)
    {
        if (On(database) < needed)
        {
            throw new AccessDeniedException(
                $"{What(what)} needs {Text(needed)} access to the database '{database}', which {Name} does not have"
            );
        }
    }

    /// <summary>Makes sure that it may send a request to a database.</summary>
    /// <exception cref="AccessDeniedException">It may not.</exception>
    public void Demand(string database, DatabaseAccess needed, HttpRequest request)
    {
        if (On(database) < needed)
            Demand(database, needed, $"{request.Method} {request.Path}");
    }

    /// <summary>Makes sure that it may do something with the server.</summary>
    /// <exception cref="AccessDeniedException">It may not.</exception>
    public void Demand(ServerClearance needed, string what)
    {
        if (needed == ServerClearance.Admin && !IsAdmin)
            throw new AccessDeniedException($"{What(what)} is for the server's admins, of whom {Name} is none");
        if (needed == ServerClearance.Known && !IsKnown)
            throw new AccessDeniedException($"{What(what)} is for clients that have rights here; this is {Name}");
    }

    /// <summary>Who sends this request; the connection knows, from its beginning on.</summary>
    public static ClientIdentity Of(HttpContext context) =>
        context.Features.Get<ClientIdentity>() ?? throw new InvalidOperationException("The request has no identity.");

    private static string Text(DatabaseAccess access) =>
        access == DatabaseAccess.ReadWrite ? "readWrite"
        : access == DatabaseAccess.Read ? "read"
        : "admin";

    private static string What(string what) => what.Length > 0 ? what : "This";
}
