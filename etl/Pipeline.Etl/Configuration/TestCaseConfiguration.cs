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
