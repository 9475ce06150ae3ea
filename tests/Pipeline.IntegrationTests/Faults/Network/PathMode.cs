namespace Pipeline.IntegrationTests.Faults.Network;

/// <summary>What becomes of the bytes of one direction of a path.</summary>
internal enum PathMode
{
    /// <summary>They arrive.</summary>
    Open,

    /// <summary>They wait, and arrive once the path is healed, even if the sender has given up.</summary>
    Late,

    /// <summary>They are lost. The connection is reset once the path is healed, because its bytes have a gap.</summary>
    Swallowed,

    /// <summary>The connection is reset, and so is each new one.</summary>
    Cut,
}
