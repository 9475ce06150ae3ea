namespace Pipeline.Documents.Events;

/// <summary>Which events a reader wants. Immutable and thread-safe.</summary>
public sealed record EventFilter
{
    /// <summary>All events.</summary>
    public static EventFilter All { get; } = new();

    /// <summary>Events with at least one of these tags; null for all.</summary>
    public IReadOnlyList<string>? AnyTags { get; init; }

    /// <summary>Events with every one of these tags; null for all.</summary>
    public IReadOnlyList<string>? AllTags { get; init; }

    /// <summary>Events written at this time or later.</summary>
    public DateTimeOffset? From { get; init; }

    /// <summary>Events written before this time.</summary>
    public DateTimeOffset? Until { get; init; }

    /// <summary>Events with a tag.</summary>
    /// <param name="tag">The tag, as written.</param>
    public static EventFilter WithTag(string tag) => new() { AnyTags = [tag] };

    /// <summary>The tags to look up: every matching event has at least one of them.</summary>
    internal IReadOnlyList<string>? FoundBy => AllTags is { Count: > 0 } ? [AllTags[0]] : AnyTags;

    internal bool MatchesTags(IReadOnlyList<string> tags) =>
        (AllTags is null || AllTags.All(t => tags.Contains(t, StringComparer.Ordinal)))
        && (AnyTags is null || AnyTags.Any(t => tags.Contains(t, StringComparer.Ordinal)));
}
