using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Protocol;

/// <summary>Answers a request to a database.</summary>
internal delegate Task DatabaseHandler(DatabaseRequest request);

/// <summary>What can be asked of a database: handlers by method and the path behind <c>/databases/NAME</c>. Filled before the first request.</summary>
internal sealed class DatabaseRoutes(ILogger logger)
{
    private readonly Dictionary<(string Method, string Path), DatabaseHandler> _handlers = new(new RouteComparer());
    private readonly HashSet<string> _paths = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Adds a handler.</summary>
    public void Add(string method, string path, DatabaseHandler handler)
    {
        _handlers.Add((method, path), handler);
        _paths.Add(path);
    }

    /// <summary>Answers a request, also where it fails.</summary>
    /// <param name="context">The request.</param>
    /// <param name="database">The database that it is to.</param>
    /// <param name="path">Its path behind <c>/databases/NAME</c>.</param>
    public Task RunAsync(HttpContext context, ServedDatabase database, string path) =>
        ErrorAnswer.GuardAsync(context, logger, () => Find(context.Request.Method, path.TrimEnd('/'))(new DatabaseRequest(context, database, this)));

    private DatabaseHandler Find(string method, string path) =>
        _handlers.TryGetValue((method, path), out var handler) ? handler
        : _paths.Contains(path) ? throw new UnsupportedException($"{method} {path}", "the path has other methods")
        : throw new UnsupportedException($"{method} {path} of a database", "see the list of what is, in server/README.md");

    private sealed class RouteComparer : IEqualityComparer<(string Method, string Path)>
    {
        public bool Equals((string Method, string Path) x, (string Method, string Path) y) =>
            StringComparer.OrdinalIgnoreCase.Equals(x.Method, y.Method) && StringComparer.OrdinalIgnoreCase.Equals(x.Path, y.Path);

        public int GetHashCode((string Method, string Path) route) =>
            HashCode.Combine(StringComparer.OrdinalIgnoreCase.GetHashCode(route.Method), StringComparer.OrdinalIgnoreCase.GetHashCode(route.Path));
    }
}
