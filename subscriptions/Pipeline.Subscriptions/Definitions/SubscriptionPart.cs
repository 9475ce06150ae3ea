namespace Pipeline.Subscriptions;

/// <summary>A part of a subscription's definition.</summary>
public enum SubscriptionPart
{
    /// <summary><see cref="SubscriptionDefinition.Name"/>.</summary>
    Name,

    /// <summary><see cref="SubscriptionDefinition.Query"/>.</summary>
    Query,

    /// <summary><see cref="SubscriptionDefinition.Collections"/>.</summary>
    Collections,

    /// <summary><see cref="SubscriptionDefinition.Filter"/>.</summary>
    Filter,

    /// <summary><see cref="SubscriptionDefinition.Projection"/>.</summary>
    Projection,

    /// <summary><see cref="SubscriptionDefinition.MaxAttempts"/>.</summary>
    MaxAttempts,

    /// <summary><see cref="SubscriptionDefinition.RetryDelay"/>.</summary>
    RetryDelay,

    /// <summary><see cref="SubscriptionDefinition.MaxRetryDelay"/>.</summary>
    MaxRetryDelay,

    /// <summary><see cref="SubscriptionDefinition.MaxLag"/>.</summary>
    MaxLag,
}
