namespace Pipeline.Cluster;

/// <summary>The node that sends a copy cannot complete it, and says why. Nothing of it is used; copy again.</summary>
/// <param name="reason">What the sender said.</param>
internal sealed class CopyFailedException(string reason)
    : IOException($"The node that sends the copy has ended it: {reason}")
{
    /// <summary>What the sender said.</summary>
    public string Reason { get; } = reason;
}
