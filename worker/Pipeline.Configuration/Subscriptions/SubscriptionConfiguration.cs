using Pipeline.Etl.Configuration;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>
/// One entry of <c>subscriptions</c>. The start creates a missing subscription and updates one that differs; its
/// position is kept.
/// </summary>
public sealed class SubscriptionConfiguration
{
    /// <summary>The subscription's name.</summary>
    [Setting(
        "Name of the subscription: letters, digits, '-', '_', '.' and '/'. Its position is kept under this name.",
        Required = true
    )]
    public string Name { get; init; } = "";

    /// <summary>The query.</summary>
    [Setting("Query for the documents, such as: from Cities where Country = 'ES'. Replaces collections and filter.")]
    public string? Query { get; init; }

    /// <summary>The collections.</summary>
    [Setting("Collections whose documents are delivered. By default all except dead letters and the database's own.")]
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>The filter.</summary>
    [Setting(
        "C# expression over 'doc', 'id', 'metadata' and 'load(id)'; only documents for which it is true are delivered. Variables are not expanded in it."
    )]
    public ScriptText? Filter { get; init; }

    /// <summary>The projection.</summary>
    [Setting(
        "C# expression whose value is delivered in place of the document, such as: new { doc.Name, Company = load(doc.Company).Name }."
    )]
    public ScriptText? Projection { get; init; }

    /// <summary>Whether deletions are given.</summary>
    [Setting("Whether deletions are delivered too.")]
    public bool Deletes { get; init; }

    /// <summary>Whether every version is given.</summary>
    [Setting(
        "Whether every version is delivered together with the previous one. Deletions are included. The query 'from Orders (Revisions = true)' does the same. Needs database.revisions."
    )]
    public bool Revisions { get; init; }

    /// <summary>Where a new one begins.</summary>
    [Setting("Where a new subscription begins: at the first change (beginning) or after the last one (end).")]
    public SubscriptionBegin From { get; init; }

    /// <summary>Attempts before parking.</summary>
    [Setting("How often a change may be rejected before it is parked in 'DeadLetters'.", Minimum = 1)]
    public int MaxAttempts { get; init; } = 5;

    /// <summary>The wait after the first rejection.</summary>
    [Setting("Wait after a change's first rejection; each further rejection doubles it.", Minimum = 0)]
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait.</summary>
    [Setting("Longest wait between two attempts.", Minimum = 0)]
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Whether later changes of a parked key are parked.</summary>
    [Setting("Whether later changes of a document whose change was parked are parked too, until it is released.")]
    public bool HoldParkedKeys { get; init; }

    /// <summary>Whether it rests.</summary>
    [Setting("Whether the subscription is paused; it keeps its position.")]
    public bool Paused { get; init; }

    /// <summary>How far it may be behind.</summary>
    [Setting("How far the subscription may lag behind: a duration such as 7d, or a mapping.")]
    public LagConfiguration? MaxLag { get; init; }

    /// <summary>What is done when it is further behind.</summary>
    [Setting(
        "What happens when the subscription lags more than maxLag. keep: all changes are kept, and the health is degraded. pause-and-resync: no further changes are kept; the subscription delivers all documents again when a worker connects. drop: it is deleted."
    )]
    public LagAction Then { get; init; }

    /// <summary>Where it begins when it is made.</summary>
    public SubscriptionStart Start =>
        From == SubscriptionBegin.End ? SubscriptionStart.End : SubscriptionStart.Beginning;

    /// <summary>The definition.</summary>
    public SubscriptionDefinition ToDefinition() =>
        new()
        {
            Name = Name,
            Query = Query,
            Collections = Collections,
            Filter = Filter?.Text,
            Projection = Projection?.Text,
            Deletes = Deletes,
            Revisions = Revisions,
            MaxAttempts = MaxAttempts,
            RetryDelay = RetryDelay,
            MaxRetryDelay = MaxRetryDelay,
            HoldParkedKeys = HoldParkedKeys,
            IsPaused = Paused,
            MaxLag =
                MaxLag is null && Then == LagAction.Keep ? null : (MaxLag ?? new LagConfiguration()).ToPolicy(Then),
        };
}
