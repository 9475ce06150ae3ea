namespace Pipeline.Storage;

/// <summary>The room on the file system that holds one part of a store, at one moment.</summary>
/// <param name="Part">What lies there: <c>data</c> or <c>journal</c>.</param>
/// <param name="Folder">The folder.</param>
/// <param name="FreeBytes">Bytes that this process may still take there.</param>
/// <param name="NeededBytes">
/// Bytes of the next step by which that part grows; with less, writes are about to be refused.
/// </param>
public sealed record DiskSpace(string Part, string Folder, long FreeBytes, long NeededBytes);

/// <summary>A write that was refused because there was no room for it. Nothing was changed.</summary>
/// <param name="Time">When.</param>
/// <param name="Reason">Which file had no room, and for how many bytes.</param>
public sealed record StorageRefusal(DateTimeOffset Time, string Reason);
