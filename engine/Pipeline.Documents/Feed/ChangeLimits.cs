namespace Pipeline.Documents;

/// <summary>How much one batch of the change feed holds.</summary>
/// <param name="MaxCount">Changes, at most.</param>
/// <param name="MaxBytes">
/// Bytes of bodies, at most; a single change may be larger, so that reading always makes progress.
/// </param>
public readonly record struct ChangeLimits(int MaxCount, int MaxBytes)
{
    /// <summary>4,096 changes and 4 MiB.</summary>
    public static ChangeLimits Default { get; } = new(4096, 4 * 1024 * 1024);
}
