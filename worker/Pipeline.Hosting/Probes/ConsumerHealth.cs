using System.Globalization;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Records;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>
/// Checks whether a consumer of the change feed lags so far, or holds so much, that a person should act. Thread-safe.
/// </summary>
internal sealed class ConsumerHealth(
    DocumentDatabase database,
    SubscriptionHost subscriptions,
    PipelineConfiguration configuration
)
{
    private readonly Dictionary<string, LagPolicy> _tasks = configuration
        .Etl.Where(t => t.MaxLag is not null)
        .ToDictionary(
            t => EtlTaskKeys.ConsumerName(t.Name),
            t => t.MaxLag!.ToPolicy(t.Then),
            StringComparer.OrdinalIgnoreCase
        );

    /// <summary>The current tasks.</summary>
    public Func<IReadOnlyList<EtlTaskStatus>> Tasks { get; init; } = () => [];

    /// <summary>Free bytes of the data's disk, null if unknown; a test may replace it.</summary>
    public Func<long?> FreeBytes { get; init; } =
        () => database.Storage.GetDiskSpace() is [var disk, ..] ? disk.FreeBytes : null;

    /// <summary>
    /// Returns a warning for each consumer near or over a limit; if there is none, one line that says so.
    /// </summary>
    public List<ReadinessCheck> Check()
    {
        var verdicts = subscriptions
            .GetStatus()
            .ToDictionary(s => SubscriptionHost.ConsumerName(s.Name), s => s.Verdict, StringComparer.OrdinalIgnoreCase);
        var resyncing = Tasks()
            .Where(t => t.IsResyncing)
            .ToDictionary(t => EtlTaskKeys.ConsumerName(t.Name), StringComparer.OrdinalIgnoreCase);
        var all = database.Consumers.GetStatus(TimeSpan.FromSeconds(1));
        var free = FreeBytes();
        var checks = new List<ReadinessCheck>();
        foreach (var consumer in all)
        {
            var verdict =
                verdicts.TryGetValue(consumer.Name, out var known) ? known
                : _tasks.TryGetValue(consumer.Name, out var policy)
                    ? policy.Judge(consumer, configuration.Health.LagPercent / 100.0)
                : LagVerdict.Fine;
            var reason = verdict.State == LagState.Normal ? null : verdict.Reason;
            if (resyncing.TryGetValue(consumer.Name, out var task))
            {
                reason = task.Replay is null
                    ? "it was too far behind, and sends all documents again once its target accepts messages"
                    : "it was too far behind, and sends all documents again";
            }

            if (consumer.HeldBytes * 100.0 > (double?)free * configuration.Health.DiskPercent)
            {
                reason =
                    (reason is null ? "" : reason + "; ")
                    + string.Create(
                        CultureInfo.InvariantCulture,
                        $"{consumer.HeldBytes:N0} bytes are kept for it, over {configuration.Health.DiskPercent} % of the {free:N0} that are free on the disk"
                    );
            }

            if (reason is not null)
            {
                checks.Add(
                    new ReadinessCheck("consumer " + consumer.Name, false, $"{reason} ({Describe(consumer)})")
                    {
                        IsWarning = true,
                    }
                );
            }
        }
        if (checks.Count == 0)
        {
            checks.Add(
                new ReadinessCheck(
                    "consumers",
                    true,
                    string.Create(CultureInfo.InvariantCulture, $"{all.Count} within their limits")
                )
            );
        }

        return checks;
    }

    /// <summary>Describes a consumer's backlog and the data retained for it in one line.</summary>
    public static string Describe(ConsumerStatus consumer) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"position {consumer.Position:N0}, {(consumer.Pending.IsExact ? "" : "about ")}{consumer.Pending.Changes:N0} changes and {consumer.Pending.Bytes:N0} bytes wait, the oldest for {consumer.AgeSeconds:N0} s; kept for it: {consumer.HeldTombstones:N0} tombstones, {(consumer.HeldVersions > 0 ? string.Create(CultureInfo.InvariantCulture, $"{consumer.HeldVersions:N0} versions, ") : "")}{consumer.HeldBytes:N0} bytes{(consumer.HeldAgeSeconds >= 1 ? string.Create(CultureInfo.InvariantCulture, $", the oldest of it {consumer.HeldAgeSeconds:N0} s") : "")}{(consumer.IsSlowest ? ", which no other holds back longer" : "")}"
        );
}
