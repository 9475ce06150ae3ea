namespace Pipeline.Storage;

/// <summary>Takes one transaction of the journal, in order.</summary>
/// <param name="state">The store as of it.</param>
/// <param name="recordCount">How many records there are.</param>
/// <param name="records">
/// Its page changes in the form of engine/FORMAT.md, decrypted and decompressed. Valid during the call.
/// </param>
public delegate void LogEntryHandler(LogState state, int recordCount, ReadOnlySpan<byte> records);
