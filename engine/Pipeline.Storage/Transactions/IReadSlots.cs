namespace Pipeline.Storage;

/// <summary>Owns the slots in which open read transactions hold their snapshots.</summary>
internal interface IReadSlots
{
    /// <summary>Gives a slot that holds no snapshot the newest one.</summary>
    StoreState RenewRead(int slot);

    /// <summary>Takes the snapshot away from a slot, which stays claimed.</summary>
    void ResetRead(int slot);

    /// <summary>Releases a slot.</summary>
    void EndRead(int slot);
}
