using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>A document of a test case.</summary>
public sealed class TestDocumentConfiguration
{
    /// <summary>The id.</summary>
    [Setting("The document's id; without it, '@id' of the body's '@metadata', as in an export.")]
    public string? Id { get; init; }

    /// <summary>The collection.</summary>
    [Setting("Its collection; without it, '@collection' of the body's '@metadata', else the first one that the task takes.")]
    public string? Collection { get; init; }

    /// <summary>The metadata.</summary>
    [Setting("More metadata, as a mapping; '@last-modified' is when it was changed (2000-01-01T00:00:00Z where nothing is said).")]
    public YamlValue? Metadata { get; init; }

    /// <summary>The body.</summary>
    [Setting("The document, as a mapping; JSON is YAML too.", ConflictsWith = ["file"])]
    public YamlValue? Body { get; init; }

    /// <summary>The body's file.</summary>
    [Setting("File of JSON that holds the body, relative to the file that the case is in.", ConflictsWith = ["body"])]
    public string? File { get; init; }

    /// <summary>The attachments.</summary>
    [Setting("Its attachments, for 'loadAttachment(name)'.")]
    public IReadOnlyList<TestAttachmentConfiguration> Attachments { get; init; } = [];

    /// <summary>Whether it is a deletion.</summary>
    [Setting("Whether the case is about its deletion.")]
    public bool Deleted { get; init; }
}
