namespace Pipeline.Indexing.Highlighting;

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
