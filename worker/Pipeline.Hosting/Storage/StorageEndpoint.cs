using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>
/// <c>GET /storage</c>: pages, journal and readers. <c>POST /storage/scrub?bytesPerSecond=</c>: verifies the pages.
/// <c>POST /storage/compact</c>: makes the data file shorter.
/// </summary>
internal static class StorageEndpoint
{
    /// <summary>
    /// A POST there makes the data file shorter; it is answered when that is done, and stops it when the client goes
    /// away.
    /// </summary>
    public const string CompactPath = "/storage/compact";

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database)
    {
        application.MapGet("/storage", context => AdminAnswer.WriteAsync(context, StorageView.Of(database.Storage)));
        application.MapPost(
            "/storage/scrub",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var report = await database
                            .Storage.ScrubAsync(new ScrubOptions { BytesPerSecond = Rate(context) }, null, ct)
                            .ConfigureAwait(false);
                        using var snapshot = database.OpenSnapshot("scrub");
                        var affected = AffectedDocuments.Find(
                            snapshot,
                            report.Damaged,
                            ScrubReportView.MaxDocuments,
                            ct
                        );
                        return ScrubReportView.Of(report).With(affected);
                    }
                )
        );
        application.MapPost(
            CompactPath,
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                        CompactionView.Of(
                            await database.Storage.CompactAsync(ct: ct).ConfigureAwait(false),
                            database.Storage.GetStatistics()
                        )
                )
        );
    }

    private static long? Rate(HttpContext context)
    {
        string? text = context.Request.Query["bytesPerSecond"];
        if (text is null)
            return null;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var rate) && rate > 0
            ? rate
            : throw new WorkerException(
                $"bytesPerSecond is '{text}'; it must be a whole number from 1 up",
                ExitCodes.Usage
            );
    }
}
