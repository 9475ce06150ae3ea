using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>A document of a test case.</summary>
public sealed class TestDocumentConfiguration
{
    /// <summary>The id.</summary>
    [Setting("The document's id. Default: '@id' of the body's '@metadata', as in an export.")]
    public string? Id { get; init; }

    /// <summary>The collection.</summary>
    [Setting(
        "Its collection. Default: '@collection' of the body's '@metadata', otherwise the task's first collection."
    )]
    public string? Collection { get; init; }

    /// <summary>The metadata.</summary>
    [Setting("More metadata, as a mapping; '@last-modified' is the time of the change (default 2000-01-01T00:00:00Z).")]
    public YamlValue? Metadata { get; init; }

    /// <summary>The body.</summary>
    [Setting("The document, as a mapping; JSON is YAML too.", ConflictsWith = ["file"])]
    public YamlValue? Body { get; init; }

    /// <summary>The body's file.</summary>
    [Setting("JSON file with the body, relative to the file of the case.", ConflictsWith = ["body"])]
    public string? File { get; init; }

    /// <summary>The attachments.</summary>
    [Setting("Its attachments, for 'loadAttachment(name)'.")]
    public IReadOnlyList<TestAttachmentConfiguration> Attachments { get; init; } = [];

    /// <summary>Whether it is a deletion.</summary>
    [Setting("Whether the case tests the document's deletion.")]
    public bool Deleted { get; init; }
}
