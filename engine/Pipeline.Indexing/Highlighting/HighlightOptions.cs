namespace Pipeline.Indexing.Highlighting;

/// <summary>How fragments are cut and marked.</summary>
public sealed record HighlightOptions
{
    private static readonly string[] Colours =
    [
        "yellow",
        "lawngreen",
        "aquamarine",
        "magenta",
        "palegreen",
        "coral",
        "wheat",
        "khaki",
        "lime",
        "deepskyblue",
    ];

    /// <summary>The length that a fragment of <see cref="FragmentLength"/> has at least (RavenDB's least).</summary>
    public const int MinFragmentLength = 18;

    /// <summary>The most UTF-16 code units of a field's texts to search; the rest is ignored.</summary>
    public const int MaxTextLength = 1 << 20;

    /// <summary>
    /// The most UTF-16 code units of a fragment, tags and encoding not counted; at least
    /// <see cref="MinFragmentLength"/>. It is exceeded only where one word alone is longer.
    /// </summary>
    public int FragmentLength { get; init; } = 128;

    /// <summary>The most fragments of a field.</summary>
    public int FragmentCount { get; init; } = 3;

    /// <summary>
    /// The tags before a term. The query's n-th term has the n-th; after the last the first is used again. By default
    /// bold on ten background colours.
    /// </summary>
    public IReadOnlyList<string> PreTags { get; init; } = [.. Colours.Select(c => $"<b style=\"background:{c}\">")];

    /// <summary>The tags behind a term, chosen in the same way.</summary>
    public IReadOnlyList<string> PostTags { get; init; } = ["</b>"];

    /// <summary>How the text between the tags is encoded.</summary>
    public HighlightEncoding Encoding { get; init; }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(FragmentLength, MinFragmentLength);
        ArgumentOutOfRangeException.ThrowIfLessThan(FragmentCount, 1);
        ArgumentOutOfRangeException.ThrowIfZero(PreTags.Count);
        ArgumentOutOfRangeException.ThrowIfZero(PostTags.Count);
    }
}

/// <summary>How the text between the tags of a fragment is encoded.</summary>
public enum HighlightEncoding
{
    /// <summary>
    /// &amp;, &lt;, &gt;, " and ' become character references. The default: the tags make a fragment HTML, and markup
    /// within a document's text, which somebody else may have written, must not become part of the page.
    /// </summary>
    Html,

    /// <summary>No encoding: for tags that are not markup, or for receivers that encode the text themselves.</summary>
    None,
}
