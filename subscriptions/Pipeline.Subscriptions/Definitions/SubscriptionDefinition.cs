namespace Pipeline.Subscriptions;

/// <summary>What a subscription delivers, and how it treats changes that its workers reject. Immutable.</summary>
public sealed record SubscriptionDefinition
{
    /// <summary>The longest name, in characters.</summary>
    public const int MaxNameLength = 128;

    /// <summary>The name: letters, digits, '-', '_', '.' and '/'. Names are compared without case.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// A query that selects the documents to deliver and is evaluated for each: <c>from Cities where Country =
    /// 'ES'</c>. The query names the collection, so it excludes <see cref="Collections"/> and <see cref="Filter"/>.
    /// </summary>
    public string? Query { get; init; }

    /// <summary>
    /// The collections, compared without case; null for all except <c>DeadLetters</c> and the database's own, whose
    /// names begin with <c>@</c>.
    /// </summary>
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>Whether deletions are delivered too. The filter is not applied to them.</summary>
    public bool Deletes { get; init; }

    /// <summary>
    /// Whether every version is delivered with the one before it, deletions included, rather than only the last version
    /// of each document; the same as
    /// <c>from Orders (Revisions = true)</c>. The database must keep revisions of the collections. Conditions of the
    /// query name <c>Current</c> and
    /// <c>Previous</c>; C# sees only the current version, and no deletions.
    /// </summary>
    public bool Revisions { get; init; }

    /// <summary>
    /// A C# expression over <c>doc</c>, <c>id</c>, <c>metadata</c> and <c>load(id)</c>: only documents for which it is
    /// true are delivered. Null delivers all.
    /// </summary>
    public string? Filter { get; init; }

    /// <summary>
    /// A C# expression whose result is delivered instead of the document: <c>new { doc.Name, Company =
    /// load(doc.Company).Name }</c>.
    /// </summary>
    public string? Projection { get; init; }

    /// <summary>A change is parked once workers have rejected it this many times. Default 5.</summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>
    /// The delay before a rejected change is delivered again; it doubles with each further rejection. Default 1 s.
    /// </summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest delay between two attempts. Default 1 min.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether, once a change of a key is parked, later changes of that key are parked too until it is released. This
    /// keeps the key's order.
    /// </summary>
    public bool HoldParkedKeys { get; init; }

    /// <summary>Whether delivery is paused until it is resumed.</summary>
    public bool IsPaused { get; init; }

    /// <summary>
    /// How far the subscription may lag, and what happens when it lags further; null keeps everything for it.
    /// </summary>
    public LagPolicy? MaxLag { get; init; }

    /// <summary>Checks the definition: its values, and that query, filter and projection compile.</summary>
    /// <param name="ct">Cancels the compilation.</param>
    /// <exception cref="SubscriptionException">The definition is invalid.</exception>
    public void Validate(CancellationToken ct = default)
    {
        Check();
        _ = SubscriptionFilter.Compile(this, ct);
    }

    private void Check()
    {
        var odd = Name.FirstOrDefault(c => !char.IsAsciiLetterOrDigit(c) && c is not ('-' or '_' or '.' or '/'));
        (SubscriptionPart Part, string Text)? problem =
            Name.Length is 0 or > MaxNameLength
                ? (SubscriptionPart.Name, $"its name has {Name.Length} characters; 1 to {MaxNameLength} are allowed")
            : odd != '\0'
                ? (SubscriptionPart.Name, $"its name has a '{odd}'; letters, digits, '-', '_', '.' and '/' are allowed")
            : MaxAttempts < 1 ? (SubscriptionPart.MaxAttempts, $"maxAttempts is {MaxAttempts}; it must be at least 1")
            : RetryDelay < TimeSpan.Zero
                ? (SubscriptionPart.RetryDelay, $"retryDelay is {RetryDelay}; it may not be negative")
            : MaxRetryDelay < RetryDelay
                ? (
                    SubscriptionPart.MaxRetryDelay,
                    $"maxRetryDelay is {MaxRetryDelay}, which is less than retryDelay, {RetryDelay}"
                )
            : Query is not null && Collections is not null
                ? (SubscriptionPart.Collections, "it has a query and collections; give either")
            : Query is not null && Filter is not null
                ? (SubscriptionPart.Filter, "it has a query and a filter; give either")
            : MaxLag?.Problem() is { } lag ? (SubscriptionPart.MaxLag, lag)
            : Collections is { Count: 0 }
                ? (SubscriptionPart.Collections, "it names no collection; leave collections out for all")
            : null;
        if (problem is not var (part, text))
            return;
        throw new SubscriptionException(
            Name,
            SubscriptionProblem.Invalid,
            $"The subscription '{Name}' is invalid: {text}."
        )
        {
            Faults = [new SubscriptionFault(part, 0, 0, text)],
        };
    }
}
