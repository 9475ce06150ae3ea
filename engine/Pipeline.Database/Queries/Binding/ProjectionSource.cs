namespace Pipeline.Database.Queries;

/// <summary>Where <c>select</c> takes the values of fields from. The names are those of RavenDB's clients.</summary>
public enum ProjectionSource
{
    /// <summary>The values stored in the index, otherwise the document's.</summary>
    Default,

    /// <summary>The values stored in the index; other fields are null.</summary>
    FromIndex,

    /// <summary>The values stored in the index; other fields are an error.</summary>
    FromIndexOrThrow,

    /// <summary>The document; fields that it lacks are null.</summary>
    FromDocument,

    /// <summary>The document; fields that it lacks are an error.</summary>
    FromDocumentOrThrow,
}
