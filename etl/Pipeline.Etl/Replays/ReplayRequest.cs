namespace Pipeline.Etl.Replays;

/// <summary>The changes that a task sends again; one of the three.</summary>
public sealed record ReplayRequest
{
    /// <summary>The changes from this position on.</summary>
    public long? From { get; init; }

    /// <summary>The changes since this time.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The documents that a query finds.</summary>
    public string? Query { get; init; }
}
