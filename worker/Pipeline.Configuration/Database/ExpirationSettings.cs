using Pipeline.Documents;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>database.expiration</c>: whether times in the metadata of documents are acted on.</summary>
public sealed class ExpirationSettings
{
    /// <summary>How often expired documents are deleted; <see langword="null"/> never does.</summary>
    [Setting(
        "How often documents are deleted whose '@expires' in the metadata has passed, 1s to 30d. Without it none are deleted.",
        Minimum = 1,
        Maximum = 2_592_000
    )]
    public TimeSpan? DeleteEvery { get; init; }

    /// <summary>How often documents are refreshed; <see langword="null"/> never does.</summary>
    [Setting(
        "The interval at which due documents are refreshed; 1s to 30d. A document is due when the time in its metadata's '@refresh' has passed. It is stored again without that key, and tasks and subscriptions receive it again. Without it none are refreshed.",
        Minimum = 1,
        Maximum = 2_592_000
    )]
    public TimeSpan? RefreshEvery { get; init; }

    /// <summary>The settings as the database takes them.</summary>
    public ExpirationConfiguration ToConfiguration() => new(DeleteEvery, RefreshEvery);
}
