namespace Pipeline.Etl.DeadLetters;

/// <summary>What becomes of a change or message that fails.</summary>
internal enum FailureOutcome
{
    /// <summary>It is a dead letter from now on.</summary>
    Parked,

    /// <summary>It was a dead letter, was tried again and stays one.</summary>
    FailedAgain,

    /// <summary>It is left out (<c>onError: skip</c>).</summary>
    LeftOut,
}
