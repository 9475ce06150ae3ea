namespace Pipeline.Etl.DeadLetters;

/// <summary>What kind of error made something fail.</summary>
public enum FailureClass
{
    /// <summary>The transform failed, or went over a limit.</summary>
    Script,

    /// <summary>A message is larger than its target takes.</summary>
    Oversize,

    /// <summary>The target refuses a message, or all of them, for ever.</summary>
    Permanent,

    /// <summary>The target is away, and the tries that <c>retry.attempts.transient</c> allows are used up.</summary>
    Transient,

    /// <summary>Nothing of its own: an earlier change of the same key is parked.</summary>
    Held,
}
