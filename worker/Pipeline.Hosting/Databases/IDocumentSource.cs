using Microsoft.Extensions.Diagnostics.HealthChecks;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting.Databases;

/// <summary>Where documents come from: a worker, a database in the process, or a server.</summary>
internal interface IDocumentSource
{
    /// <summary>
    /// The store on it. It can be injected at any time, and opens sessions once the host has started.
    /// </summary>
    IDocumentStore Store { get; }

    /// <summary>Checks whether it can be used.</summary>
    /// <param name="failure">The status if it cannot.</param>
    /// <param name="cancellationToken">Ends the check.</param>
    Task<HealthCheckResult> CheckAsync(HealthStatus failure, CancellationToken cancellationToken);
}

/// <summary>A database in this process, which the host opens.</summary>
internal interface IOpenedDatabase : IDocumentSource
{
    /// <summary>The database.</summary>
    /// <exception cref="InvalidOperationException">It is not open yet.</exception>
    DocumentDatabase Database { get; }

    /// <summary>Its subscriptions.</summary>
    /// <exception cref="InvalidOperationException">It is not open yet.</exception>
    SubscriptionHost Subscriptions { get; }
}
