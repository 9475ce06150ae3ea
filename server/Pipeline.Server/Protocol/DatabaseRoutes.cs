using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Answers;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Protocol;

/// <summary>Answers a request to a database.</summary>
internal delegate Task DatabaseHandler(DatabaseRequest request);

/// <summary>
/// The requests to a database: handlers by method and the path behind <c>/databases/NAME</c>. Filled before the first
/// request.
/// </summary>
internal sealed class DatabaseRoutes(
    TimeSpan maxTime,
    RequestMemoryPool memory,
    QueryTurns turns,
    TimeProvider time,
    ILogger logger
)
{
    private readonly Dictionary<(string Method, string Path), Route> _handlers = new(new RouteComparer());
    private readonly HashSet<string> _paths = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>All methods and paths.</summary>
    public IEnumerable<(string Method, string Path)> All => _handlers.Keys;

    /// <summary>Adds a handler.</summary>
    /// <param name="method">The method.</param>
    /// <param name="path">The path behind <c>/databases/NAME</c>.</param>
    /// <param name="access">What a client needs for it.</param>
    /// <param name="handler">Answers.</param>
    /// <param name="isLong">Whether it may take as long as it likes.</param>
    /// <param name="isSafe">Whether a GET changes nothing; one that does is refused to browsers.</param>
    public void Add(
        string method,
        string path,
        DatabaseAccess access,
        DatabaseHandler handler,
        bool isLong = false,
        bool isSafe = true
    )
    {
        _handlers.Add((method, path), new Route(access, handler, isLong, isSafe));
        _paths.Add(path);
    }

    /// <summary>Answers a request, with an error if it fails.</summary>
    /// <param name="context">The request.</param>
    /// <param name="databases">The databases.</param>
    /// <param name="name">The database that it is to.</param>
    /// <param name="path">Its path behind <c>/databases/NAME</c>.</param>
    public Task RunAsync(HttpContext context, ServerDatabases databases, string name, string path) =>
        ErrorAnswer.GuardAsync(
            context,
            logger,
            (Routes: this, context, databases, name, path),
            static r =>
            {
                // Without access, a missing database and a forbidden one look alike.
                ClientIdentity.Of(r.context).Demand(r.name, DatabaseAccess.Read, r.path);
                return r.databases.TryGet(r.name, out var database)
                    ? r.Routes.RunFoundAsync(r.context, database, r.path)
                    : throw new DatabaseMissingException(r.name);
            }
        );

    /// <summary>Answers a request within another request, with an error if it fails.</summary>
    public Task RunAsync(HttpContext context, ServedDatabase database, string path) =>
        ErrorAnswer.GuardAsync(
            context,
            logger,
            (Routes: this, context, database, path),
            static r => r.Routes.RunFoundAsync(r.context, r.database, r.path)
        );

    private Task RunFoundAsync(HttpContext context, ServedDatabase database, string path)
    {
        var route = Find(context.Request.Method, path.TrimEnd('/'));
        ClientIdentity.Of(context).Demand(database.Name, route.Access, context.Request);
        if (database.Record.IsDisabled && route.Access != DatabaseAccess.Admin)
            throw new DatabaseDisabledException(database.Name);
        if (
            context.Request.Headers.TryGetValue("Client-Configuration-Etag", out var known)
            && long.TryParse(
                known.ToString().Trim('"'),
                NumberStyles.Integer,
                CultureInfo.InvariantCulture,
                out var number
            )
            && number < database.Record.ClientETag
        )
        {
            context.Response.Headers["Refresh-Client-Configuration"] = "true";
        }
        if (!route.IsSafe)
            BrowserGuard.RefuseBrowser(context);
        return RunInMemoryAsync(context, database, route);
    }

    private async Task RunInMemoryAsync(HttpContext context, ServedDatabase database, Route route)
    {
        // A request within another uses the memory of the outer one, which uses the answer afterwards.
        var outer = context.Features.Get<RequestMemory>();
        using var own = outer is null ? new RequestMemory(memory) : null;
        var request = new DatabaseRequest(context, database, this, outer ?? own!, turns);
        if (route.IsLong)
        {
            await route.Handler(request).ConfigureAwait(false);
            return;
        }
        var aborted = context.RequestAborted;
        using var late = new CancellationTokenSource(maxTime, time);
        await using var registration = aborted
            .UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), late)
            .ConfigureAwait(false);
        context.RequestAborted = late.Token;
        try
        {
            await route.Handler(request).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (late.IsCancellationRequested && !aborted.IsCancellationRequested)
        {
            throw new TimeoutException(
                $"{context.Request.Method} {context.Request.Path} took longer than {maxTime.TotalSeconds:0.#} s (server.limits.requestTime).",
                e
            );
        }
        finally
        {
            context.RequestAborted = aborted;
        }
    }

    private Route Find(string method, string path) =>
        _handlers.TryGetValue((method, path), out var handler) ? handler
        : _paths.Contains(path) ? throw new UnsupportedException($"{method} {path}", "the path has other methods")
        : throw new UnsupportedException(
            $"{method} {path} of a database",
            "server/README.md lists the supported requests"
        );

    private sealed record Route(DatabaseAccess Access, DatabaseHandler Handler, bool IsLong, bool IsSafe);

    private sealed class RouteComparer : IEqualityComparer<(string Method, string Path)>
    {
        public bool Equals((string Method, string Path) x, (string Method, string Path) y) =>
            StringComparer.OrdinalIgnoreCase.Equals(x.Method, y.Method)
            && StringComparer.OrdinalIgnoreCase.Equals(x.Path, y.Path);

        public int GetHashCode((string Method, string Path) route) =>
            HashCode.Combine(
                StringComparer.OrdinalIgnoreCase.GetHashCode(route.Method),
                StringComparer.OrdinalIgnoreCase.GetHashCode(route.Path)
            );
    }
}
