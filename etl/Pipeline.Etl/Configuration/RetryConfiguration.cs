using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>
/// The block <c>retry</c> of a task: how long it waits after an error of the target. Without <c>attempts</c> it never
/// gives up.
/// </summary>
public sealed class RetryConfiguration
{
    /// <summary>The wait after the first error.</summary>
    [Setting(
        "Wait after the first error of the target. Each further error doubles it, with a jitter of a quarter.",
        Minimum = 0.01,
        Maximum = 3600
    )]
    public TimeSpan InitialDelay { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The longest wait.</summary>
    [Setting("Longest wait between two tries.", Minimum = 0.01, Maximum = 86_400)]
    public TimeSpan MaxDelay { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The wait after an error that a retry is unlikely to fix.</summary>
    [Setting(
        "Wait after an error that a retry alone is unlikely to fix (wrong credentials, no permission). The task's state is then 'failed'.",
        Minimum = 0.01,
        Maximum = 86_400
    )]
    public TimeSpan FailedDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How often something is tried before <c>onError</c> applies.</summary>
    [Setting("Attempts by class of error before 'onError' decides.")]
    public AttemptsConfiguration Attempts { get; init; } = new();
}
