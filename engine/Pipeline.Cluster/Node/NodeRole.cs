namespace Pipeline.Cluster;

/// <summary>The role of a node.</summary>
internal enum NodeRole
{
    /// <summary>It applies what the leader writes.</summary>
    Following,

    /// <summary>
    /// It has claimed and reads until a claim is accepted. A leader whose records are in doubt does this too.
    /// </summary>
    Claiming,

    /// <summary>It has read its own claim. It may still wait for an old lease to expire.</summary>
    Leading,

    /// <summary>
    /// It does nothing until a person or the program around it acts; <see cref="ClusterNode.Stop"/> says why.
    /// </summary>
    Stopped,
}
