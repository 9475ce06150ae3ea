namespace Pipeline.Subscriptions;

/// <summary>Where a subscription begins.</summary>
public readonly record struct SubscriptionStart
{
    private const long Now = -1;

    private SubscriptionStart(long position) => Value = position;

    private long Value { get; }

    /// <summary>With the first change there is.</summary>
    public static SubscriptionStart Beginning => default;

    /// <summary>After the last change at the time of its making.</summary>
    public static SubscriptionStart End => new(Now);

    /// <summary>After a position.</summary>
    public static SubscriptionStart After(long position)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        return new SubscriptionStart(position);
    }

    internal long Resolve(long last) => Value == Now ? last : Value;
}
