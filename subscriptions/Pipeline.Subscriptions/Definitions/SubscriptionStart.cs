namespace Pipeline.Subscriptions;

/// <summary>Where a subscription begins.</summary>
public readonly record struct SubscriptionStart
{
    private const long Now = -1;

    private SubscriptionStart(long position) => Value = position;

    private long Value { get; }

    /// <summary>Starts with the first change in the database.</summary>
    public static SubscriptionStart Beginning => default;

    /// <summary>Starts after the last change at the time the subscription is created.</summary>
    public static SubscriptionStart End => new(Now);

    /// <summary>Starts after a position.</summary>
    public static SubscriptionStart After(long position)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        return new SubscriptionStart(position);
    }

    internal long Resolve(long last) => Value == Now ? last : Value;
}
