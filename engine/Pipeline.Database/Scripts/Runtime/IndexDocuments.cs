using System.Collections;
using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

#pragma warning disable CA1710 // The name is what it is in a definition: the documents.

/// <summary>What <c>docs</c> is in a map: at each run the one document in hand, since a map sees no other but through LoadDocument.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class IndexDocuments : IEnumerable<ScriptValue?>
{
    internal IndexDocuments()
    {
    }

    internal ScriptValue? Current { get; set; }

    /// <summary>The documents of a collection: the compiler has put down which, and the map is run for those only.</summary>
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
