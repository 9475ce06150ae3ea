namespace Pipeline.Etl.Connectors;

/// <summary>Which CloudEvents attributes a message carries as headers.</summary>
public enum CloudEventAttributes
{
    /// <summary>Those that the specification requires, and subject, time and content type.</summary>
    All,

    /// <summary>Those that the specification requires.</summary>
    Required,

    /// <summary>None.</summary>
    None,
}
