namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>The kind of source that a query reads.</summary>
public enum FromKind
{
    /// <summary>The documents of a collection.</summary>
    Collection,

    /// <summary>An index.</summary>
    Index,

    /// <summary>All documents: <c>@all_docs</c>.</summary>
    AllDocuments,
}
