namespace Pipeline.Subscriptions;

/// <summary>What a subscription gives, and how it deals with what its workers reject. Immutable.</summary>
public sealed record SubscriptionDefinition
{
    /// <summary>The longest name, in characters.</summary>
    public const int MaxNameLength = 128;

    /// <summary>Its name: letters, digits, '-', '_', '.' and '/', the same in any case.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// A query that says which documents are given, tried on each: <c>from Cities where Country = 'ES'</c>. It names the collection, so there are no
    /// <see cref="Collections"/> and no <see cref="Filter"/> beside it.
    /// </summary>
    public string? Query { get; init; }

    /// <summary>The collections, in any case; null for all but the database's own, whose names begin with <c>@</c>, and <c>DeadLetters</c>.</summary>
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>Whether deletions are given too. They pass the filter unseen.</summary>
    public bool Deletes { get; init; }

    /// <summary>
    /// Whether every version is given, not only the last of each document, with the one before, and deletions with them; the same as <c>from Orders (Revisions = true)</c>. The database must keep
    /// revisions of the collections. Conditions of the query name <c>Current</c> and <c>Previous</c>; C# sees the current version alone, and no deletions.
    /// </summary>
    public bool Revisions { get; init; }

    /// <summary>A C# expression over <c>doc</c>, <c>id</c>, <c>metadata</c> and <c>load(id)</c>: only documents for which it is true are given. Null gives all.</summary>
    public string? Filter { get; init; }

    /// <summary>A C# expression of what is given instead of the document, such as <c>new { doc.Name, Company = load(doc.Company).Name }</c>.</summary>
    public string? Projection { get; init; }

    /// <summary>How often a change is given to workers that reject it before it is parked. Default 5.</summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>How long a change waits after its first rejection; each further one doubles it. Default 1 s.</summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait between two attempts. Default 1 min.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Whether later changes of a key whose change was parked are parked too, so that its order holds, until it is released.</summary>
    public bool HoldParkedKeys { get; init; }

    /// <summary>Whether nothing is given until it is resumed.</summary>
    public bool IsPaused { get; init; }

    /// <summary>How far it may be behind, and what is done when it is further; null keeps everything for it.</summary>
    public LagPolicy? MaxLag { get; init; }

    /// <summary>Makes sure that it can be a subscription: its values, and that query, filter and projection compile.</summary>
    /// <param name="ct">Gives the compilation up.</param>
    /// <exception cref="SubscriptionException">It cannot.</exception>
    public void Validate(CancellationToken ct = default)
    {
        Check();
        _ = SubscriptionFilter.Compile(this, ct);
    }

    private void Check()
    {
        char odd = Name.FirstOrDefault(c => !char.IsAsciiLetterOrDigit(c) && c is not ('-' or '_' or '.' or '/'));
        (SubscriptionPart Part, string Text)? problem =
            Name.Length is 0 or > MaxNameLength ? (SubscriptionPart.Name, $"its name has {Name.Length} characters; 1 to {MaxNameLength} are allowed")
            : odd != '\0' ? (SubscriptionPart.Name, $"its name has a '{odd}'; letters, digits, '-', '_', '.' and '/' are allowed")
            : MaxAttempts < 1 ? (SubscriptionPart.MaxAttempts, $"maxAttempts is {MaxAttempts}; at least 1 is needed")
            : RetryDelay < TimeSpan.Zero ? (SubscriptionPart.RetryDelay, $"retryDelay is {RetryDelay}; it may not be negative")
            : MaxRetryDelay < RetryDelay ? (SubscriptionPart.MaxRetryDelay, $"maxRetryDelay is {MaxRetryDelay}, which is less than retryDelay, {RetryDelay}")
            : Query is not null && Collections is not null ? (SubscriptionPart.Collections, "it has a query and collections; give either")
            : Query is not null && Filter is not null ? (SubscriptionPart.Filter, "it has a query and a filter; give either")
            : MaxLag?.Problem() is { } lag ? (SubscriptionPart.MaxLag, lag)
            : Collections is { Count: 0 } ? (SubscriptionPart.Collections, "it names no collection; leave collections out for all")
            : null;
        if (problem is not var (part, text)) return;
        throw new SubscriptionException(Name, SubscriptionProblem.Invalid, $"The subscription '{Name}' cannot be: {text}.") { Faults = [new SubscriptionFault(part, 0, 0, text)] };
    }
}
