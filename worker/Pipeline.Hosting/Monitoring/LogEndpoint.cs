using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting.Logging;

namespace Pipeline.Hosting;

/// <summary>
/// <c>GET /logs?after=&amp;level=&amp;text=&amp;most=</c>: the last events of the log. To follow it, ask again with the
/// <c>last</c> of the answer as <c>after</c>.
/// </summary>
internal static class LogEndpoint
{
    private const int DefaultMost = 500;

    /// <summary>How many events are kept.</summary>
    public const int Capacity = 2_000;

    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder application, LogRing ring) =>
        application.MapGet(
            "/logs",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    () =>
                    {
                        // Before the lines: what comes between is in the next answer.
                        var last = ring.Last;
                        return new
                        {
                            last,
                            lines = ring.Read(
                                    Number(context, "after", 0),
                                    LevelOf(context.Request.Query["level"].ToString()),
                                    context.Request.Query["text"].ToString(),
                                    (int)Math.Clamp(Number(context, "most", DefaultMost), 1, Capacity)
                                )
                                .Where(l => l.Number <= last),
                        };
                    }
                )
        );

    private static long Number(HttpContext context, string name, long usual)
    {
        if (context.Request.Query[name].ToString() is not { Length: > 0 } text)
            return usual;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var given)
            ? given
            : throw new WorkerException($"{name} is '{text}'; it must be a whole number", ExitCodes.Usage);
    }

    private static LogLevel LevelOf(string text) =>
        text switch
        {
            "" or "info" => LogLevel.Information,
            "warn" => LogLevel.Warning,
            "error" => LogLevel.Error,
            "fatal" => LogLevel.Critical,
            _ => throw new WorkerException(
                $"level is '{text}'; it must be info, warn, error or fatal",
                ExitCodes.Usage
            ),
        };
}
