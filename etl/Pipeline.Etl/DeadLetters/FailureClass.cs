using Pipeline.Yaml.Settings;

namespace Pipeline.Etl.DeadLetters;

/// <summary>The kind of error that caused a failure.</summary>
public enum FailureClass
{
    /// <summary>The transform failed, or went over a limit.</summary>
    Script,

    /// <summary>A message is larger than its target accepts.</summary>
    Oversize,

    /// <summary>The target permanently refuses a message, or all messages.</summary>
    Permanent,

    /// <summary>
    /// The target is unavailable, and the attempts that <c>retry.attempts.transient</c> allows are used up.
    /// </summary>
    Transient,

    /// <summary>No error: an earlier change of the same key is parked.</summary>
    Held,
}

/// <summary>The texts of the classes, as dead letters, metrics and logs show them.</summary>
internal static class FailureClassText
{
    public static string Of(FailureClass failure) => EnumText.Of(typeof(FailureClass), failure.ToString());
}

/// <summary>What becomes of a change or message that fails.</summary>
internal enum FailureOutcome
{
    /// <summary>It is a dead letter from now on.</summary>
    Parked,

    /// <summary>It was a dead letter, was tried again and stays one.</summary>
    FailedAgain,

    /// <summary>It is skipped (<c>onError: skip</c>).</summary>
    LeftOut,
}
