namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>What a client knows of a call.</summary>
internal enum CallOutcome
{
    /// <summary>It was carried out.</summary>
    Done,

    /// <summary>Nobody told. It may have been carried out, or may still be.</summary>
    Unknown,

    /// <summary>The cluster said that nothing was changed.</summary>
    Refused,

    /// <summary>The cluster said that the expected value was another one. Nothing was changed.</summary>
    Mismatched,
}
