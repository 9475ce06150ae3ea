using Microsoft.AspNetCore.Http;
using Pipeline.Server.Security;

namespace Pipeline.Hosting.Metrics;

/// <summary>
/// Which figures a client sees: all, or those of the databases that it may read and those that belong to none.
/// </summary>
internal sealed class MetricRights
{
    private const string DatabaseTag = "pipeline.database";
    private static readonly string[] OfNoDatabase = ["System.Runtime", "Pipeline.Server"];
    private readonly Func<string, bool>? _mayRead;

    /// <param name="mayRead">Whether the client may read a database; null if it sees all.</param>
    internal MetricRights(Func<string, bool>? mayRead) => _mayRead = mayRead;

    /// <summary>Those of a request's sender.</summary>
    public static MetricRights Of(HttpContext context) =>
        new(RequestRights.SeesAll(context) ? null : database => RequestRights.MayRead(context, database));

    /// <summary>The families without the series that are not for the client; those without any are left out.</summary>
    public IEnumerable<MetricFamily> Filter(IEnumerable<MetricFamily> families) =>
        _mayRead is null
            ? families
            : families.Select(f => f with { Points = [.. f.Points.Where(IsShown)] }).Where(f => f.Points.Count > 0);

    // What names no database may name its tasks, consumers or files.
    private bool IsShown((string Meter, MetricPoint Point) series)
    {
        var database = Array.Find(series.Point.Tags, t => t.Key == DatabaseTag).Value;
        return database is null ? OfNoDatabase.Contains(series.Meter) : database is string name && _mayRead!(name);
    }
}
