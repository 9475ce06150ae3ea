namespace Pipeline.Database.Indexes;

/// <summary>The state of an index.</summary>
public enum IndexState
{
    /// <summary>It follows the changes and answers queries.</summary>
    Normal = 0,

    /// <summary>
    /// It answers queries and does not follow the changes until it is resumed or the database is opened again.
    /// </summary>
    Paused,

    /// <summary>
    /// It answers queries as they would have been answered then, and does not follow the changes until it is enabled.
    /// </summary>
    Disabled,

    /// <summary>
    /// Too many documents failed, or it cannot continue; <see cref="IndexInfo.Failure"/> has the reason.
    /// </summary>
    Error,
}
