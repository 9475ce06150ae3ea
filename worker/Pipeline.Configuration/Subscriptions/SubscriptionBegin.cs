namespace Pipeline.Configuration;

/// <summary>Where a subscription begins when it is made.</summary>
public enum SubscriptionBegin
{
    /// <summary>With the first change there is.</summary>
    Beginning,

    /// <summary>After the last change.</summary>
    End,
}
