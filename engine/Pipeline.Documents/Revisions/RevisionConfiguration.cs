using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>Which versions of a database's documents are kept. Immutable.</summary>
public sealed record RevisionConfiguration
{
    /// <summary>Nothing is kept.</summary>
    public static RevisionConfiguration None { get; } = new();

    /// <summary>
    /// For collections that are not among <see cref="Collections"/>, but for the database's own, whose names begin with
    /// <c>@</c> (documents without a collection, <c>@empty</c>, are included), and <c>DeadLetters</c>; null keeps none.
    /// </summary>
    public RevisionPolicy? Default { get; init; }

    /// <summary>For single collections, by name in any case.</summary>
    public IReadOnlyDictionary<string, RevisionPolicy> Collections { get; init; } =
        new Dictionary<string, RevisionPolicy>();

    /// <summary>Makes sure that it can be used.</summary>
    /// <exception cref="ArgumentException">
    /// A policy has an impossible value, or two are for the same collection.
    /// </exception>
    public void Validate()
    {
        Default?.Validate("the default");
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach ((var name, var policy) in Collections)
        {
            DocumentKeys.CheckCollection(name);
            if (!names.Add(name))
            {
                throw new ArgumentException(
                    $"There are two policies for the revisions of '{name}'; collection names ignore case."
                );
            }

            policy.Validate($"'{name}'");
        }
    }

    internal bool IsOn => Default is not null || Collections.Count > 0;

    /// <summary>The policy of a collection; null if there is none.</summary>
    /// <param name="collection">The collection, in any case.</param>
    public RevisionPolicy? Find(string collection)
    {
        ArgumentNullException.ThrowIfNull(collection);
        foreach ((var name, var policy) in Collections)
        {
            if (string.Equals(name, collection, StringComparison.OrdinalIgnoreCase))
                return policy;
        }

        var isOwn =
            MetadataRules.IsSystemCollection(collection)
            || collection.Equals("DeadLetters", StringComparison.OrdinalIgnoreCase);
        return isOwn ? null : Default;
    }
}
