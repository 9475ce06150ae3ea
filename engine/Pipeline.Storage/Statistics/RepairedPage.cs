namespace Pipeline.Storage;

/// <summary>A page that was damaged and got its content back from an equal store.</summary>
/// <param name="Page">The page, or the first one of a run.</param>
/// <param name="Tree">The tree that it belongs to; null if a read found the damage.</param>
/// <param name="Source">The name of the other store.</param>
/// <param name="Time">When it was repaired.</param>
public sealed record RepairedPage(long Page, string? Tree, string Source, DateTimeOffset Time);
