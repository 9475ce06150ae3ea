using System.Text.Json.Serialization;

namespace Pipeline.Worker.Hosting;

/// <summary>Whether a worker does its work, as <c>/health/ready</c> answers it.</summary>
/// <param name="Status"><c>ready</c>, <c>degraded</c> (ready, but with a warning) or <c>unready</c>.</param>
/// <param name="Checks">Each thing that was looked at.</param>
public sealed record ReadinessReport(string Status, IReadOnlyList<ReadinessCheck> Checks)
{
    /// <summary>Whether the worker does its work.</summary>
    [JsonIgnore]
    public bool IsReady => Status != "unready";

    /// <summary>Puts checks together: ready where each that is not just a warning is well.</summary>
    internal static ReadinessReport Of(IReadOnlyList<ReadinessCheck> checks) => new(
        checks.Any(c => c is { Ok: false, IsWarning: false }) ? "unready" : checks.All(c => c.Ok) ? "ready" : "degraded", checks);
}

/// <summary>One thing that was looked at.</summary>
/// <param name="Name">What, for example <c>storage</c> or <c>task big-orders</c>.</param>
/// <param name="Ok">Whether it is well.</param>
/// <param name="Detail">What was seen, for people.</param>
public sealed record ReadinessCheck(string Name, bool Ok, string Detail)
{
    /// <summary>Whether the worker does its work all the same where it is not well.</summary>
    [JsonIgnore]
    public bool IsWarning { get; init; }
}
