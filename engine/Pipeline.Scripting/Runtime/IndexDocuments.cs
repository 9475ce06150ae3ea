using System.Collections;
using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CA1710 // Definitions use this name for the documents.

/// <summary>
/// The value of <c>docs</c> in a map: in each run only the current document, because a map sees others only through
/// LoadDocument.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class IndexDocuments : IEnumerable<ScriptValue?>
{
    internal IndexDocuments() { }

    internal ScriptValue? Current { get; set; }

    /// <summary>
    /// The documents of a collection: the compiler has recorded which, and the map is run only for those.
    /// </summary>
    public IndexDocuments this[string collection] => this;

    /// <summary>The documents of several collections.</summary>
    public IndexDocuments WhereEntityIs(params string[] collections) => this;

    /// <inheritdoc />
    public IEnumerator<ScriptValue?> GetEnumerator()
    {
        yield return Current;
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
