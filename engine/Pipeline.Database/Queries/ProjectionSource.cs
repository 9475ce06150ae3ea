namespace Pipeline.Database.Queries;

/// <summary>Where <c>select</c> takes the values of fields from. The names are those of RavenDB's clients.</summary>
public enum ProjectionSource
{
    /// <summary>What the index has stored, else the document.</summary>
    Default,

    /// <summary>What the index has stored; other fields are null.</summary>
    FromIndex,

    /// <summary>What the index has stored; other fields are an error.</summary>
    FromIndexOrThrow,

    /// <summary>The document; fields that it lacks are null.</summary>
    FromDocument,

    /// <summary>The document; fields that it lacks are an error.</summary>
    FromDocumentOrThrow,
}
