using System.Text.Json.Serialization;

namespace Pipeline.Worker.Hosting;

/// <summary>The answer of <c>/health/ready</c>.</summary>
/// <param name="Status"><c>ready</c>, <c>degraded</c> (ready, but with a warning) or <c>unready</c>.</param>
/// <param name="Checks">Each thing that was looked at.</param>
internal sealed record HealthReport(string Status, IReadOnlyList<HealthCheck> Checks)
{
    /// <summary>Puts checks together: ready where each that is not just a warning is well.</summary>
    public static HealthReport Of(IReadOnlyList<HealthCheck> checks) => new(
        checks.Any(c => c is { Ok: false, IsWarning: false }) ? "unready" : checks.All(c => c.Ok) ? "ready" : "degraded", checks);

    /// <summary>Whether the worker does its work.</summary>
    [JsonIgnore]
    public bool IsReady => Status != "unready";
}

/// <summary>One thing that was looked at.</summary>
/// <param name="Name">What, for example <c>storage</c> or <c>task big-orders</c>.</param>
/// <param name="Ok">Whether it is well.</param>
/// <param name="Detail">What was seen, for people.</param>
internal sealed record HealthCheck(string Name, bool Ok, string Detail)
{
    /// <summary>Whether the worker does its work all the same where it is not well.</summary>
    [JsonIgnore]
    public bool IsWarning { get; init; }
}
