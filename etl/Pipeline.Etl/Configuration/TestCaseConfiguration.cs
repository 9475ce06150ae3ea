using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>One case of a task's <c>tests</c>: documents, and what the transform must send for them.</summary>
public sealed class TestCaseConfiguration
{
    /// <summary>The name.</summary>
    [Setting("What the case shows, such as: small orders send nothing.", Required = true)]
    public string Name { get; internal set; } = "";

    /// <summary>The document.</summary>
    [Setting("The changed document.", ConflictsWith = ["documents"])]
    public TestDocumentConfiguration? Document { get; init; }

    /// <summary>The documents.</summary>
    [Setting("Several changed documents, in this order.", ConflictsWith = ["document"])]
    public IReadOnlyList<TestDocumentConfiguration>? Documents { get; init; }

    /// <summary>The documents for <c>load</c>.</summary>
    [Setting("Other documents, for 'load(id)'.")]
    public IReadOnlyList<TestDocumentConfiguration> Loaded { get; init; } = [];

    /// <summary>The messages.</summary>
    [Setting("All messages that must be sent, in this order; [] for none.", ConflictsWith = ["error"])]
    public IReadOnlyList<TestMessageConfiguration>? Expect { get; init; }

    /// <summary>The error.</summary>
    [Setting("Text that the transform's error must contain.", ConflictsWith = ["expect"])]
    public string? Error { get; init; }

    /// <summary>The file that the case is in.</summary>
    internal string File { get; set; } = "";

    /// <summary>Where the case begins in its file.</summary>
    internal int Line { get; set; }

    /// <inheritdoc cref="Line"/>
    internal int Column { get; set; }

    /// <summary>
    /// The values that an unset variable or secret leaves unknown, each with its place. A case with such values proves
    /// nothing and fails.
    /// </summary>
    internal IReadOnlyList<string> Open { get; set; } = [];
}

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

/// <summary>An attachment of a test case's document, as <c>loadAttachment</c> finds it.</summary>
public sealed class TestAttachmentConfiguration
{
    /// <summary>The name.</summary>
    [Setting("The attachment's name.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>The media type.</summary>
    [Setting("Its content type, such as text/plain; scripts get 'Text' of text and JSON only.")]
    public string ContentType { get; init; } = "";

    /// <summary>The content as text.</summary>
    [Setting("The content as text, stored as UTF-8.", ConflictsWith = ["base64"])]
    public string? Text { get; init; }

    /// <summary>The content as Base64.</summary>
    [Setting("The content as Base64.", ConflictsWith = ["text"])]
    public string? Base64 { get; init; }
}

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
