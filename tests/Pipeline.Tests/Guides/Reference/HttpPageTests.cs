using Pipeline.TestKit.Http;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>
/// docs/reference/http.md matches <see cref="RightsTable"/>, to which <see cref="RightsMatrixTests"/> holds the server.
/// </summary>
public sealed class HttpPageTests
{
    private const string OfDatabase = "/databases/{database}";

    private static readonly string[][] Rights =
    [
        ["anybody", "every client that reaches the port"],
        ["known", "a client listed under `server.clients`"],
        ["read, readWrite, admin", "a client with this right on the database (`server.clients[].databases`)"],
        ["clusterAdmin", "a client with `admin: true`"],
    ];

    [Fact]
    public void The_page_is_up_to_date()
    {
        var page = new ReferencePage("http.md", "HTTP");
        page.Prose(
            "The worker answers at `server.url`, by default `http://127.0.0.1:8080`. "
                + "Each request needs a right; each right includes the ones above it. "
                + "Without `server.clients` every client has all rights, and the port is open to this machine only."
        );
        page.Table(["right", "held by"], Rights);
        page.Prose(
            "Studio is at `/`. An error is JSON with `error` (one line) and, for the protocol of RavenDB's clients, `Type` and `Message`."
        );
        Section(page, "Health and metrics", r => r is "/health/live" or "/health/ready" or "/metrics");
        Section(
            page,
            "Operation of the worker",
            r =>
                !r.StartsWith("/databases", StringComparison.Ordinal)
                && RightsTable.Rows.Any(x => x.Key.Route == r && x.Value == "clusterAdmin")
                && !r.StartsWith("/admin", StringComparison.Ordinal)
        );
        Section(
            page,
            "The server, in RavenDB's protocol",
            r =>
                r is "/databases"
                || r.StartsWith("/admin", StringComparison.Ordinal)
                || r.StartsWith("/cluster", StringComparison.Ordinal)
                || r.StartsWith("/info", StringComparison.Ordinal)
                || r is "/topology" or "/build/version" or "/configuration/client"
        );
        Section(page, "One database", r => r.StartsWith(OfDatabase, StringComparison.Ordinal));
        page.Check();
    }

    [Fact]
    public void Every_route_has_a_description_and_every_description_a_route()
    {
        var routes = Shown().Select(r => r.Key).ToHashSet();
        Assert.Equal([], routes.Where(r => Text(r) is null).Select(r => $"{r.Method} {Short(r.Route)}"));
        Assert.Equal(
            [],
            RouteTexts
                .All.Where(t => !routes.Any(r => Short(r.Route) == t.Path && t.Method == r.Method))
                .Select(t => $"{t.Method} {t.Path}")
        );
    }

    private static void Section(ReferencePage page, string title, Func<string, bool> isIn)
    {
        page.Heading(2, title);
        if (title == "One database")
            page.Prose("The path follows `/databases/NAME`.");
        page.Table(
            ["request", "right", "purpose"],
            Shown()
                .Where(r => isIn(r.Key.Route))
                .OrderBy(r => r.Key.Route, StringComparer.Ordinal)
                .ThenBy(r => r.Key.Method, StringComparer.Ordinal)
                .Select(r => new[] { $"`{r.Key.Method} {Short(r.Key.Route)}`", r.Value, Text(r.Key) ?? "" })
        );
    }

    /// <summary>The routes that clients use; those that catch all other requests are left out.</summary>
    private static IEnumerable<KeyValuePair<(string Method, string Route), string>> Shown() =>
        RightsTable.Rows.Where(r => r.Key.Method != "*");

    private static string? Text((string Method, string Route) route) =>
        RouteTexts.Of(route.Method, Short(route.Route), route.Route.StartsWith(OfDatabase, StringComparison.Ordinal));

    private static string Short(string route) =>
        route.StartsWith(OfDatabase, StringComparison.Ordinal) ? route[OfDatabase.Length..] : route;
}
