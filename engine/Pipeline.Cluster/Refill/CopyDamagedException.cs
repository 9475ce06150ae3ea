namespace Pipeline.Cluster;

/// <summary>A copy of a store arrived damaged or incomplete. Nothing of it is used; copy again.</summary>
/// <param name="frame">The number of the frame.</param>
/// <param name="reason">What is wrong with it.</param>
/// <param name="inner">The cause.</param>
internal sealed class CopyDamagedException(long frame, string reason, Exception? inner = null)
    : IOException($"The copy of the store is damaged at frame {frame}: {reason}. Fill this node again.", inner)
{
    /// <summary>The number of the frame.</summary>
    public long Frame { get; } = frame;

    /// <summary>What is wrong with it.</summary>
    public string Reason { get; } = reason;
}
