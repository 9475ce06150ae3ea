using System.Diagnostics.CodeAnalysis;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;

namespace Pipeline.Database.Queries.Catalog;

/// <summary>
/// One commit of an index, open for one query. Its reader was opened before the query's <see cref="DatabaseSnapshot"/>,
/// so that the snapshot has every version of a document that the index knows, or a later one.
/// </summary>
public interface IOpenIndex : IDisposable
{
    /// <summary>The index's name: <c>Orders/ByTotal</c>, <c>Auto/Orders/ByTotal</c>.</summary>
    string Name { get; }

    /// <summary>The reader of the index. This object owns it.</summary>
    IndexReader Reader { get; }

    /// <summary>
    /// Whether entries are groups: each has a stored object (a <see cref="BinaryJson"/>), and no document. Otherwise an
    /// entry leads to its document, and has a stored object only where some field is stored.
    /// </summary>
    bool IsGrouped { get; }

    /// <summary>
    /// Whether a document may have several entries, as when a map iterates over its lines. Queries are cheaper if this
    /// is known to be false.
    /// </summary>
    bool MayRepeatDocuments => !IsGrouped;

    /// <summary>
    /// Whether there may be fields that no definition names; a missing field then has no values and is not an error.
    /// </summary>
    bool HasDynamicFields { get; }

    /// <summary>A number that changes with the index's definition, for the ETag of results.</summary>
    long DefinitionVersion { get; }

    /// <summary>The names of its fields, for errors.</summary>
    IEnumerable<string> FieldNames { get; }

    /// <summary>Looks a field up by its name, whose case matters.</summary>
    /// <param name="name">The name.</param>
    /// <param name="field">The field.</param>
    /// <returns>Whether the index has it, be it without values.</returns>
    bool TryGetField(string name, [NotNullWhen(true)] out QueryField? field);

    /// <summary>Whether the index caught up while the query waited for it; null where the query did not wait.</summary>
    bool? WaitSucceeded => null;

    /// <summary>How far the index is behind a snapshot.</summary>
    /// <param name="snapshot">The snapshot.</param>
    /// <returns>The lag.</returns>
    IndexLag LagAt(DatabaseSnapshot snapshot);
}
