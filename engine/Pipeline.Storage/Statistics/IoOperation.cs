namespace Pipeline.Storage;

/// <summary>One thing that was done to a file.</summary>
/// <param name="EndedAt">When it was done.</param>
/// <param name="Bytes">Its size.</param>
/// <param name="Duration">How long it took.</param>
public readonly record struct IoOperation(DateTimeOffset EndedAt, long Bytes, TimeSpan Duration)
{
    /// <summary>Bytes a second; 0 where the clock saw no time pass.</summary>
    public double BytesPerSecond => Duration > TimeSpan.Zero ? Bytes / Duration.TotalSeconds : 0;
}
