using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Hosting.Metrics;

namespace Pipeline.Hosting;

/// <summary><c>GET /history?seconds=&amp;points=</c>: the figures of the last seconds, an hour at most.</summary>
internal static class HistoryEndpoint
{
    private const int DefaultSeconds = 3600;
    private const int DefaultPoints = 360;
    private const int MaxPoints = 1800;

    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder application, WorkerHistory history) =>
        application.MapGet(
            "/history",
            context =>
            {
                var (span, points) = AskedOf(context);
                return AdminAnswer.WriteAsync(context, history.Read(span, points));
            }
        );

    /// <summary>How far a request looks back, and how many points of each figure it wants at most.</summary>
    public static (TimeSpan Span, int Points) AskedOf(HttpContext context) =>
        (
            TimeSpan.FromSeconds(Number(context, "seconds", DefaultSeconds, DefaultSeconds)),
            Number(context, "points", DefaultPoints, MaxPoints)
        );

    private static int Number(HttpContext context, string name, int usual, int most) =>
        int.TryParse(context.Request.Query[name], NumberStyles.None, CultureInfo.InvariantCulture, out var given)
            ? Math.Clamp(given, 1, most)
            : usual;
}
