using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using Pipeline.Client.Conventions;
using Pipeline.Client.Subscriptions;

namespace Pipeline.Client;

/// <summary>Creates, changes, pauses and deletes the subscriptions of a database. Thread-safe.</summary>
public interface IDocumentSubscriptions
{
    /// <summary>Creates a subscription to the documents of a class; durable when it completes.</summary>
    /// <param name="name">
    /// The name: at most 128 letters, digits, '-', '_', '.' and '/'. Names are compared without case.
    /// </param>
    /// <param name="options">What it delivers; <see langword="null"/> delivers the class's whole collection.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">
    /// The name is taken, the options are invalid, or the client has no access.
    /// </exception>
    Task CreateAsync<T>(string name, SubscriptionOptions? options = null, CancellationToken cancellationToken = default)
        where T : class;

    /// <summary>
    /// Creates a subscription, or changes one whose options differ. A changed one keeps its position, and its workers
    /// reconnect.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="options">What it delivers; <see langword="null"/> delivers the class's whole collection.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">The options are invalid, or the client has no access.</exception>
    Task EnsureAsync<T>(string name, SubscriptionOptions? options = null, CancellationToken cancellationToken = default)
        where T : class;

    /// <summary>
    /// Deletes a subscription with its position. Its workers end with <see cref="SubscriptionProblem.Deleted"/>. A
    /// missing one is no error.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    Task DeleteAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>
    /// Stops delivery until it is resumed, also after a restart; durable when it completes. Workers stay and wait. A
    /// batch that a worker has comes again.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">There is no such subscription, or the client has no access.</exception>
    Task PauseAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>Resumes a paused subscription; its workers reconnect. One that runs is no error.</summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">There is no such subscription, or the client has no access.</exception>
    Task ResumeAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>The state of a subscription: backlog, workers, dead letters, whether it is paused.</summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">There is no such subscription, or the client has no access.</exception>
    Task<SubscriptionState> GetStateAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>The states of all subscriptions of the database, by name.</summary>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">The client has no access.</exception>
    Task<IReadOnlyList<SubscriptionState>> ListAsync(CancellationToken cancellationToken = default);
}

/// <summary>What a subscription delivers, and how it treats documents that its workers reject. Immutable.</summary>
public sealed record SubscriptionOptions
{
    /// <summary>
    /// A C# expression over <c>doc</c>, <c>id</c>, <c>metadata</c> and <c>load(id)</c> that the database evaluates:
    /// <c>doc.Total > 1000</c>. Only documents for which it is true are delivered. A server accepts C# only from
    /// clients that may send it scripts; others give a <see cref="Query"/>.
    /// </summary>
    public string? Filter { get; init; }

    /// <summary>
    /// A lambda in place of <see cref="Filter"/> and <see cref="Query"/>: <c>(Order o) => o.Total > 1000 &amp;&amp;
    /// o.Lines.Any(l => l.Price > 9)</c>. It is translated to a
    /// <see cref="Query"/> and needs no right to send C#. Texts are compared with their case; numbers are computed
    /// exactly. With <see cref="Revisions"/> it is asked of the current version.
    /// </summary>
    /// <exception cref="UnsupportedExpressionException">
    /// Creating the subscription: a part has no counterpart in the query language. The message names it and a way
    /// round.
    /// </exception>
    public LambdaExpression? Where
    {
        get;
        [RequiresUnreferencedCode(
            "Reads the members that expressions name. A published program that is trimmed gives Query."
        )]
        [RequiresDynamicCode("Evaluates the values that expressions hold.")]
        init
        {
            field = value;
            Translate = value is null ? null : FilterQuery.Of;
        }
    }

    /// <summary>Translates <see cref="Where"/>. Only who sets it needs reflection.</summary>
    internal Func<LambdaExpression, DocumentModel, DocumentStoreOptions, bool, string>? Translate { get; private init; }

    /// <summary>
    /// A query in RQL in place of the class's collection and of <see cref="Filter"/>: <c>from Orders where Total > 1000
    /// include Company</c>. A batch's sessions load included documents without a request.
    /// </summary>
    public string? Query { get; init; }

    /// <summary>
    /// A C# expression whose result is delivered in place of the document: <c>new { doc.Company, doc.Total }</c>. Its
    /// class is that of the worker.
    /// </summary>
    public string? Projection { get; init; }

    /// <summary>Whether deletions are delivered too. The filter does not apply to them.</summary>
    public bool Deletes { get; init; }

    /// <summary>
    /// Whether every version is delivered with the one before it, deletions included, in place of the last version of
    /// each document. The database must keep revisions of the collection.
    /// </summary>
    public bool Revisions { get; init; }

    /// <summary>
    /// A document is parked as a dead letter once workers have rejected it this many times. Default 5.
    /// </summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>
    /// The delay before a rejected document is delivered again; it doubles with each further rejection. Default 1 s.
    /// </summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest delay between two attempts. Default 1 min.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether later changes of a parked document are parked too until it is released, so that they never overtake it.
    /// </summary>
    public bool HoldParkedKeys { get; init; }

    /// <summary>
    /// Whether a new subscription begins with changes after its creation, and not with the documents that exist.
    /// </summary>
    public bool SkipsExisting { get; init; }

    /// <summary>How far the subscription may lag; <see langword="null"/> keeps everything for it.</summary>
    public SubscriptionLagLimit? MaxLag { get; init; }
}

/// <summary>How far a subscription may lag, and what happens beyond that. Immutable.</summary>
public sealed record SubscriptionLagLimit
{
    /// <summary>The greatest age of the oldest waiting change; <see langword="null"/> for no limit.</summary>
    public TimeSpan? Age { get; init; }

    /// <summary>The most waiting changes; <see langword="null"/> for no limit.</summary>
    public long? Changes { get; init; }

    /// <summary>The most bytes of waiting changes; <see langword="null"/> for no limit.</summary>
    public long? Bytes { get; init; }

    /// <summary>What happens beyond a limit.</summary>
    public SubscriptionLagAction Then { get; init; }
}

/// <summary>What happens to a subscription that lags too far.</summary>
public enum SubscriptionLagAction
{
    /// <summary>Everything is kept for it, and the database's health is degraded.</summary>
    Keep,

    /// <summary>
    /// Nothing more is kept for it. A worker that connects gets all documents again, between two marks
    /// (<see cref="SubscriptionResync"/>).
    /// </summary>
    PauseAndResync,

    /// <summary>It is deleted.</summary>
    Drop,
}
