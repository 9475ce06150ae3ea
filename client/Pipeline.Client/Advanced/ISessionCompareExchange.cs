namespace Pipeline.Client;

/// <summary>
/// Values that are set only if their index has not changed: for unique names, reservations and locks across documents.
/// Changes are part of the session's next save, which fails with a <see cref="ConcurrencyException"/> if a value has
/// another index; reads show the saved state.
/// </summary>
public interface ISessionCompareExchange
{
    /// <summary>The value under a key.</summary>
    /// <returns>The value; <see langword="null"/> if there is none.</returns>
    ValueTask<CompareExchangeItem<T>?> GetAsync<T>(string key, CancellationToken cancellationToken = default);

    /// <summary>The values whose keys begin with a text, in the order of their keys.</summary>
    /// <param name="prefix">The text; empty for all.</param>
    /// <param name="skip">How many values are left out.</param>
    /// <param name="take">How many values there may be.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    ValueTask<IReadOnlyList<CompareExchangeItem<T>>> ListAsync<T>(
        string prefix,
        int skip = 0,
        int take = 25,
        CancellationToken cancellationToken = default
    );

    /// <summary>Has the next save set a value.</summary>
    /// <param name="key">The key, at most 512 bytes in UTF-8; case does not matter.</param>
    /// <param name="value">The value.</param>
    /// <param name="expectedIndex">The index that the value has; 0: the key must be free.</param>
    void Put<T>(string key, T value, long expectedIndex = 0);

    /// <summary>Has the next save delete a value; it is no error if there is none.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expectedIndex">The index that the value has.</param>
    void Delete(string key, long expectedIndex);
}

/// <summary>A compare-exchange value.</summary>
/// <param name="Key">The key in its original case.</param>
/// <param name="Index">The number of its last change, which the next change must name.</param>
/// <param name="Value">The value.</param>
public sealed record CompareExchangeItem<T>(string Key, long Index, T Value);
