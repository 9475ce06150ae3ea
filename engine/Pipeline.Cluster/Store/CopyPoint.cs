namespace Pipeline.Cluster;

/// <summary>A published state of a store, and the place in the log where a copy of it continues.</summary>
/// <param name="Position">Where to continue reading. Its next transaction is at most the one after the state.</param>
/// <param name="Through">The end of the state in the store's own journal.</param>
/// <param name="State">The state.</param>
internal readonly record struct CopyPoint(ReadPosition Position, Storage.LogPosition Through, Storage.LogState State);
