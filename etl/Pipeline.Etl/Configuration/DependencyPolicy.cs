namespace Pipeline.Etl.Configuration;

/// <summary>Which changes of other documents send a document again.</summary>
public enum DependencyPolicy
{
    /// <summary>None: a document is sent when it changes itself.</summary>
    Nothing,

    /// <summary>Those of documents that its last run of the transform loaded, whether or not they were there.</summary>
    Load,
}
