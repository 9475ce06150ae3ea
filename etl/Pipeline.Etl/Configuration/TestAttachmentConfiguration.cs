using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

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
