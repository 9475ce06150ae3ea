namespace Pipeline.Indexing.Highlighting;

/// <summary>What is done to the text between the tags of a fragment.</summary>
public enum HighlightEncoding
{
    /// <summary>
    /// &amp;, &lt;, &gt;, " and ' become character references. The default: the tags make a fragment HTML, and markup within a document's
    /// text, which somebody else may have written, must not become part of the page.
    /// </summary>
    Html,

    /// <summary>The text stays as it is: for tags that are no markup, or where the receiver encodes.</summary>
    None,
}
