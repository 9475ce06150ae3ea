namespace Pipeline.Storage;

/// <summary>A write that was refused because there was no room for it. Nothing was changed.</summary>
/// <param name="Time">When.</param>
/// <param name="Reason">Which file had no room, and for how many bytes.</param>
public sealed record StorageRefusal(DateTimeOffset Time, string Reason);
