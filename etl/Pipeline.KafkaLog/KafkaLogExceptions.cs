using Pipeline.Cluster;

namespace Pipeline.KafkaLog;

/// <summary>The brokers did not answer, or refused a request.</summary>
/// <param name="log">The log's name.</param>
/// <param name="reason">What happened.</param>
/// <param name="inner">The cause.</param>
public sealed class KafkaLogUnavailableException(string log, string reason, Exception? inner = null)
    : SharedLogException(log, $"The log '{log}' cannot be used now: {reason}", inner)
{
    /// <summary>What happened.</summary>
    public string Reason { get; } = reason;
}

/// <summary>A topic cannot be a shared log, because it would lose or forget records.</summary>
/// <param name="log">The log's name.</param>
/// <param name="faults">Each setting at fault, with its value and the one that is needed.</param>
public sealed class KafkaLogRefusedException(string log, IReadOnlyList<string> faults)
    : SharedLogException(log, $"The topic of the log '{log}' cannot be used: {string.Join("; ", faults)}.")
{
    /// <summary>Each setting at fault, with its value and the one that is needed.</summary>
    public IReadOnlyList<string> Faults { get; } = faults;
}
