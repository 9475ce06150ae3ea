using Pipeline.Documents;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>Which former versions of a collection's documents are kept.</summary>
public sealed class RevisionPolicyConfiguration
{
    /// <summary>Whether versions are kept.</summary>
    [Setting("Whether new versions are kept; false removes no existing ones.")]
    public bool Enabled { get; init; } = true;

    /// <summary>How many.</summary>
    [Setting(
        "How many of a document's newest versions are kept at least, the current one included. Without it and 'age' all are kept.",
        Minimum = 1
    )]
    public int? Keep { get; init; }

    /// <summary>How long.</summary>
    [Setting("How long a version is kept at least after its replacement, such as 30d.", Minimum = 0.001)]
    public TimeSpan? Age { get; init; }

    /// <summary>Whether deletions remove versions.</summary>
    [Setting("Whether the deletion of a document removes its versions.")]
    public bool PurgeOnDelete { get; init; }

    /// <summary>The policy.</summary>
    public RevisionPolicy ToPolicy() =>
        new()
        {
            Enabled = Enabled,
            Keep = Keep,
            Age = Age,
            PurgeOnDelete = PurgeOnDelete,
        };
}
