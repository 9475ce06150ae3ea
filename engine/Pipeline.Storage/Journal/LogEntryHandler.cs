namespace Pipeline.Storage;

/// <summary>Takes one transaction of the journal, in order.</summary>
/// <param name="state">The store as of it.</param>
/// <param name="recordCount">How many records there are.</param>
/// <param name="records">What it changed in pages, as engine/FORMAT.md tells, decrypted and decompressed. Valid during the call.</param>
public delegate void LogEntryHandler(LogState state, int recordCount, ReadOnlySpan<byte> records);
