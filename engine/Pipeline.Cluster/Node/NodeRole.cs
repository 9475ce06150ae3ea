namespace Pipeline.Cluster;

/// <summary>What a node does.</summary>
internal enum NodeRole
{
    /// <summary>It redoes what others write.</summary>
    Following,

    /// <summary>
    /// It has claimed and reads on until a claim is accepted. A leader whose records are in doubt does this, too.
    /// </summary>
    Claiming,

    /// <summary>It has read its own claim. It may still wait for an old lease.</summary>
    Leading,

    /// <summary>
    /// It does nothing until a person or the program around it acts; <see cref="ClusterNode.Stop"/> says why.
    /// </summary>
    Stopped,
}
