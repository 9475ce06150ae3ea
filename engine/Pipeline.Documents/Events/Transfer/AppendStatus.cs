namespace Pipeline.Documents.Events;

/// <summary>How an append that came over a network ended.</summary>
public enum AppendStatus
{
    /// <summary>The events are durable.</summary>
    Done = 0,

    /// <summary>Another writer was faster (<see cref="EventConflictException"/>).</summary>
    Conflict,

    /// <summary>The stream's key was destroyed (<see cref="StreamKeyDestroyedException"/>).</summary>
    KeyDestroyed,

    /// <summary>Something is over a limit (<see cref="InvalidEventException"/>).</summary>
    Invalid,

    /// <summary>The database failed.</summary>
    Failed,
}
