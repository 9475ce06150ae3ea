namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>What a query reads.</summary>
public enum FromKind
{
    /// <summary>The documents of a collection.</summary>
    Collection,

    /// <summary>An index.</summary>
    Index,

    /// <summary>All documents: <c>@all_docs</c>.</summary>
    AllDocuments,
}
