namespace Pipeline.Etl.Runner;

/// <summary>The last error of a task.</summary>
/// <param name="Message">What happened, without secrets.</param>
/// <param name="Time">When.</param>
/// <param name="IsTransient">Whether another try can help.</param>
/// <param name="Attempts">How often the same thing was tried by then.</param>
public sealed record EtlTaskError(string Message, DateTimeOffset Time, bool IsTransient, int Attempts)
{
    /// <summary>Whether the target caused it: it could not be reached, or refused a whole batch.</summary>
    public bool IsOfTarget { get; init; }
}
