using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>Which changes a cursor reads.</summary>
/// <param name="Collections">
/// The collections, compared without case; <see langword="null"/> for all but <paramref name="Except"/> and the
/// database's own, whose names begin with
/// <c>@</c>. Documents without a collection (<c>@empty</c>) are read.
/// </param>
/// <param name="Deletes">Whether deletions are read too.</param>
/// <param name="Except">With <paramref name="Collections"/> null: collections that are left out.</param>
public sealed record CursorFilter(
    IReadOnlyList<string>? Collections,
    bool Deletes,
    IReadOnlyList<string>? Except = null
)
{
    /// <summary>Whether changes of a collection are read.</summary>
    public bool Takes(string collection) => FeedConsumer.Follows(Collections, Except, collection);

    /// <summary>The filter that the database applies; <see cref="Takes"/> excludes the rest.</summary>
    internal ChangeFilter ToChangeFilter() =>
        Collections is not null ? ChangeFilter.Of(Collections, Deletes)
        : Deletes ? ChangeFilter.AllWithDeletes
        : ChangeFilter.All;

    /// <summary>The consumer that the database registers for this filter.</summary>
    internal FeedConsumer ToConsumer(string name, string positionKey, DateTimeOffset since) =>
        new()
        {
            Name = name,
            PositionKey = positionKey,
            Collections = Collections,
            Except = Except ?? [],
            Deletes = Deletes,
            Since = since,
        };

    /// <summary>Whether a consumer has the same filter.</summary>
    internal bool IsOf(FeedConsumer consumer) =>
        consumer.Deletes == Deletes
        && (
            Collections is null
                ? consumer.Collections is null
                : consumer.Collections is not null
                    && Collections.SequenceEqual(consumer.Collections, StringComparer.OrdinalIgnoreCase)
        )
        && (Except ?? []).SequenceEqual(consumer.Except, StringComparer.OrdinalIgnoreCase);
}
