namespace Pipeline.Documents;

/// <summary>
/// Whether a database acts on the times that documents have in their metadata, and how often it looks. Immutable.
/// </summary>
/// <param name="DeleteEvery">How often documents whose <c>@expires</c> is past are deleted; null never does.</param>
/// <param name="RefreshEvery">
/// How often documents whose <c>@refresh</c> has passed are stored again without it, so that consumers of changes
/// receive them again; null means never.
/// </param>
public sealed record ExpirationConfiguration(TimeSpan? DeleteEvery = null, TimeSpan? RefreshEvery = null)
{
    /// <summary>Nothing is deleted and nothing is refreshed.</summary>
    public static ExpirationConfiguration None { get; } = new();

    /// <summary>The longest time between two looks: 30 days.</summary>
    public static TimeSpan MaxInterval { get; } = TimeSpan.FromDays(30);

    internal bool IsOn => DeleteEvery is not null || RefreshEvery is not null;

    /// <summary>Makes sure that it can be used.</summary>
    /// <exception cref="ArgumentException">
    /// A time is none: below 1 s, or more than <see cref="MaxInterval"/>.
    /// </exception>
    public void Validate()
    {
        Check(DeleteEvery, "expired documents are deleted");
        Check(RefreshEvery, "documents are refreshed");
    }

    private static void Check(TimeSpan? interval, string what)
    {
        if (interval is { } time && (time < TimeSpan.FromSeconds(1) || time > MaxInterval))
        {
            throw new ArgumentException(
                $"The interval in which {what} is '{time:c}'; it must be 1 s to {MaxInterval.TotalDays:0} days."
            );
        }
    }
}
