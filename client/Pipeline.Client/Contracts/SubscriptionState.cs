namespace Pipeline.Client;

/// <summary>A subscription at one moment. Immutable.</summary>
public sealed record SubscriptionState
{
    /// <summary>The name.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The query that selects its documents; <see langword="null"/> if it has a collection and perhaps a
    /// <see cref="Filter"/>.
    /// </summary>
    public string? Query { get; init; }

    /// <summary>Its filter in C#.</summary>
    public string? Filter { get; init; }

    /// <summary>Whether it is paused.</summary>
    public bool IsPaused { get; init; }

    /// <summary>
    /// The changes of its collection that are not acknowledged yet. Those that its filter will leave out count too. A
    /// large backlog is estimated from samples.
    /// </summary>
    public long Backlog { get; init; }

    /// <summary>The age of the oldest change of the backlog; zero without one.</summary>
    public TimeSpan BacklogAge { get; init; }

    /// <summary>The changes that workers have and have not acknowledged.</summary>
    public long InFlight { get; init; }

    /// <summary>The rejected changes that wait for another attempt.</summary>
    public long Retrying { get; init; }

    /// <summary>
    /// How many changes were parked as dead letters since the subscription was started: by opening the database, or by
    /// a change, a move, or the end of a pause.
    /// </summary>
    public long Parked { get; init; }

    /// <summary>How many changes were acknowledged since the subscription was started.</summary>
    public long Acknowledged { get; init; }

    /// <summary>
    /// When a worker last acknowledged something; <see langword="null"/> if none has since the subscription was
    /// started.
    /// </summary>
    public DateTimeOffset? LastAcknowledged { get; init; }

    /// <summary>The names of the connected workers.</summary>
    public IReadOnlyList<string> Workers { get; init; } = [];

    /// <summary>
    /// The last error: why it stopped, or why a change was rejected or parked; <see langword="null"/> if there was none
    /// since the subscription was started.
    /// </summary>
    public string? LastError { get; init; }
}
