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
