using System.Globalization;
using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Worker.Hosting;

/// <summary>Whether those who follow the change feed are so far behind, or hold so much, that a person should look. Thread-safe.</summary>
internal sealed class ConsumerHealth(DocumentDatabase database, SubscriptionHost subscriptions, PipelineConfiguration configuration)
{
    private readonly Dictionary<string, LagPolicy> _tasks = configuration.Etl.Where(t => t.MaxLag is not null)
        .ToDictionary(t => EtlTaskKeys.ConsumerName(t.Name), t => t.MaxLag!.ToPolicy(t.Then), StringComparer.OrdinalIgnoreCase);

    /// <summary>The tasks now.</summary>
    public Func<IReadOnlyList<EtlTaskStatus>> Tasks { get; init; } = () => [];

    /// <summary>Free bytes of the data's disk, null where they are not known; a test may say others.</summary>
    public Func<long?> FreeBytes { get; init; } = () => database.Storage.GetDiskSpace() is [var disk, ..] ? disk.FreeBytes : null;

    /// <summary>A warning for each that is near a limit or over it; one line that all is well where none is.</summary>
    public List<ReadinessCheck> Check()
    {
        var verdicts = subscriptions.GetStatus().ToDictionary(s => SubscriptionHost.ConsumerName(s.Name), s => s.Verdict, StringComparer.OrdinalIgnoreCase);
        var resyncing = Tasks().Where(t => t.IsResyncing).ToDictionary(t => EtlTaskKeys.ConsumerName(t.Name), StringComparer.OrdinalIgnoreCase);
        var all = database.Consumers.GetStatus(TimeSpan.FromSeconds(1));
        var free = FreeBytes();
        var checks = new List<ReadinessCheck>();
        foreach (var consumer in all)
        {
            var verdict = verdicts.TryGetValue(consumer.Name, out var known) ? known
                : _tasks.TryGetValue(consumer.Name, out var policy) ? policy.Judge(consumer, configuration.Health.LagPercent / 100.0) : LagVerdict.Fine;
            var reason = verdict.State == LagState.Normal ? null : verdict.Reason;
            if (resyncing.TryGetValue(consumer.Name, out var task))
                reason = task.Replay is null ? "it was too far behind, and sends all documents anew once its target takes messages" : "it was too far behind, and sends all documents anew";
            if (consumer.HeldBytes * 100.0 > (double?)free * configuration.Health.DiskPercent)
                reason = (reason is null ? "" : reason + "; ") + string.Create(CultureInfo.InvariantCulture,
                    $"{consumer.HeldBytes:N0} bytes are kept for it, over {configuration.Health.DiskPercent} % of the {free:N0} that are free on the disk");
            if (reason is not null)
                checks.Add(new ReadinessCheck("consumer " + consumer.Name, false, $"{reason} ({Describe(consumer)})") { IsWarning = true });
        }
        if (checks.Count == 0)
            checks.Add(new ReadinessCheck("consumers", true, string.Create(CultureInfo.InvariantCulture, $"{all.Count} within their limits")));
        return checks;
    }

    /// <summary>What waits for it and is kept because of it, in a line.</summary>
    public static string Describe(ConsumerStatus consumer) => string.Create(CultureInfo.InvariantCulture,
        $"position {consumer.Position:N0}, {(consumer.Pending.IsExact ? "" : "about ")}{consumer.Pending.Changes:N0} changes and {consumer.Pending.Bytes:N0} bytes wait, the oldest for {consumer.AgeSeconds:N0} s; kept for it: {consumer.HeldTombstones:N0} tombstones, {(consumer.HeldVersions > 0 ? string.Create(CultureInfo.InvariantCulture, $"{consumer.HeldVersions:N0} versions, ") : "")}{consumer.HeldBytes:N0} bytes{(consumer.HeldAgeSeconds >= 1 ? string.Create(CultureInfo.InvariantCulture, $", the oldest of it {consumer.HeldAgeSeconds:N0} s") : "")}{(consumer.IsSlowest ? ", which no other holds back longer" : "")}");
}
