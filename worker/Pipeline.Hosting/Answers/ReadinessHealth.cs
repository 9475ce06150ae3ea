using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Pipeline.Hosting;

/// <summary>A worker's readiness as the result of a health check.</summary>
internal static class ReadinessHealth
{
    /// <summary>The result: its data has the finding of each check, its description names those that failed.</summary>
    public static HealthCheckResult Of(ReadinessReport report, HealthStatus failure)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal);
        foreach (var check in report.Checks)
            data[check.Name] = check.Detail;
        var failed = report.Checks.Where(c => !c.Ok).Select(c => $"{c.Name}: {c.Detail}").ToList();
        var status =
            !report.IsReady ? failure
            : failed.Count > 0 ? HealthStatus.Degraded
            : HealthStatus.Healthy;
        return new HealthCheckResult(
            status,
            failed.Count > 0 ? string.Join("; ", failed) : $"{report.Checks.Count} checks passed",
            data: data
        );
    }
}
