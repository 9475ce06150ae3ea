using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>maxLag</c>; a duration in its place is <see cref="Age"/>.</summary>
public sealed class LagConfiguration
{
    /// <summary>The highest age of the oldest change that waits.</summary>
    [Setting(
        "Highest age of the oldest change that is not yet processed. 'maxLag: 7d' says the same as 'maxLag: { age: 7d }'.",
        Minimum = 1
    )]
    public TimeSpan? Age { get; init; }

    /// <summary>The most changes that may wait.</summary>
    [Setting("Most changes not yet processed.", Minimum = 1)]
    public long? Changes { get; init; }

    /// <summary>The most bytes that may wait.</summary>
    [Setting("Most bytes of changes not yet processed.", Minimum = 1)]
    public long? Bytes { get; init; }

    /// <summary>The policy.</summary>
    public LagPolicy ToPolicy(LagAction then) =>
        new()
        {
            Age = Age,
            Changes = Changes,
            Bytes = Bytes,
            Then = then,
        };
}
