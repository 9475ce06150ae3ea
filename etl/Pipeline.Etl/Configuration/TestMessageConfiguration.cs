using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>A message that a test case expects. Only the fields that are given are compared.</summary>
public sealed class TestMessageConfiguration
{
    /// <summary>The topic, queue or file.</summary>
    [Setting("Topic, queue or file that the message goes to.")]
    public string? Destination { get; init; }

    /// <summary>The key.</summary>
    [Setting("Its key; an empty text if it must have none.")]
    public string? Key { get; init; }

    /// <summary>The id.</summary>
    [Setting("Its CloudEvents id.")]
    public string? Id { get; init; }

    /// <summary>The type.</summary>
    [Setting("Its CloudEvents type.")]
    public string? Type { get; init; }

    /// <summary>The source.</summary>
    [Setting("Its CloudEvents source.")]
    public string? Source { get; init; }

    /// <summary>The body.</summary>
    [Setting(
        "Its body. The given keys of a mapping must exist and match; other keys are allowed. Lists must match item by item. 1 matches 1.0; null matches a missing value."
    )]
    public YamlValue? Body { get; init; }

    /// <summary>Whether the body must have no other keys.</summary>
    [Setting("Whether the body must have exactly the given keys.")]
    public bool Exact { get; init; }
}
