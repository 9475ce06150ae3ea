using Pipeline.Documents;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>database.revisions</c>: which former versions of documents are kept.</summary>
public sealed class RevisionsConfiguration
{
    /// <summary>For collections that are not named.</summary>
    [Setting("For documents of all collections except those below, dead letters and the database's own.")]
    public RevisionPolicyConfiguration? Default { get; init; }

    /// <summary>For single collections.</summary>
    [Setting("For single collections, by name.")]
    public IReadOnlyDictionary<string, RevisionPolicyConfiguration> Collections { get; init; } =
        new Dictionary<string, RevisionPolicyConfiguration>();

    /// <summary>The settings as the database takes them.</summary>
    public RevisionConfiguration ToConfiguration() =>
        new()
        {
            Default = Default?.ToPolicy(),
            Collections = Collections.ToDictionary(c => c.Key, c => c.Value.ToPolicy(), StringComparer.Ordinal),
        };
}
