using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Pipeline.Client;

/// <summary>Creates subscriptions whose filter is a lambda.</summary>
[RequiresUnreferencedCode(
    "Reads the members that expressions name. A published program that is trimmed gives SubscriptionOptions.Query."
)]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
public static class SubscriptionFilters
{
    /// <summary>
    /// Creates a subscription to the documents of a class that match a filter: <c>CreateAsync&lt;Order>("big", o =>
    /// o.Total > 1000)</c>.
    /// </summary>
    /// <param name="subscriptions">The subscriptions of a store.</param>
    /// <param name="name">The name.</param>
    /// <param name="filter">The filter, as in <see cref="SubscriptionOptions.Where"/>.</param>
    /// <param name="options">The other options.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="UnsupportedExpressionException">
    /// A part of the filter has no counterpart in the query language.
    /// </exception>
    /// <exception cref="SubscriptionException">
    /// The name is taken, the options are invalid, or the client has no access.
    /// </exception>
    public static Task CreateAsync<T>(
        this IDocumentSubscriptions subscriptions,
        string name,
        Expression<Func<T, bool>> filter,
        SubscriptionOptions? options = null,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(subscriptions);
        return subscriptions.CreateAsync<T>(
            name,
            (options ?? new SubscriptionOptions()) with
            {
                Where = filter,
            },
            cancellationToken
        );
    }

    /// <summary>
    /// Creates a subscription to the documents of a class that match a filter, or changes one whose options differ.
    /// </summary>
    /// <param name="subscriptions">The subscriptions of a store.</param>
    /// <param name="name">The name.</param>
    /// <param name="filter">The filter, as in <see cref="SubscriptionOptions.Where"/>.</param>
    /// <param name="options">The other options.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="UnsupportedExpressionException">
    /// A part of the filter has no counterpart in the query language.
    /// </exception>
    /// <exception cref="SubscriptionException">The options are invalid, or the client has no access.</exception>
    public static Task EnsureAsync<T>(
        this IDocumentSubscriptions subscriptions,
        string name,
        Expression<Func<T, bool>> filter,
        SubscriptionOptions? options = null,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(subscriptions);
        return subscriptions.EnsureAsync<T>(
            name,
            (options ?? new SubscriptionOptions()) with
            {
                Where = filter,
            },
            cancellationToken
        );
    }
}
