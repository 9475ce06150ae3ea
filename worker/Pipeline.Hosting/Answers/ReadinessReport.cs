using System.Text.Json.Serialization;

namespace Pipeline.Hosting;

/// <summary>Whether a worker is ready, as <c>/health/ready</c> answers it.</summary>
/// <param name="Status"><c>ready</c>, <c>degraded</c> (ready, but with a warning) or <c>unready</c>.</param>
/// <param name="Checks">The individual checks.</param>
public sealed record ReadinessReport(string Status, IReadOnlyList<ReadinessCheck> Checks)
{
    /// <summary>Whether the worker is ready.</summary>
    [JsonIgnore]
    public bool IsReady => Status != "unready";

    /// <summary>Combines checks: the worker is ready if every check except warnings succeeds.</summary>
    internal static ReadinessReport Of(IReadOnlyList<ReadinessCheck> checks) =>
        new(
            checks.Any(c => c is { Ok: false, IsWarning: false }) ? "unready"
                : checks.All(c => c.Ok) ? "ready"
                : "degraded",
            checks
        );
}

/// <summary>An individual check.</summary>
/// <param name="Name">What was checked, for example <c>storage</c> or <c>task big-orders</c>.</param>
/// <param name="Ok">Whether it succeeded.</param>
/// <param name="Detail">The finding, in words.</param>
public sealed record ReadinessCheck(string Name, bool Ok, string Detail)
{
    /// <summary>Whether the worker is still ready if this check fails.</summary>
    [JsonIgnore]
    public bool IsWarning { get; init; }
}
