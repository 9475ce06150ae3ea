namespace Pipeline.Backups.Destinations;

/// <summary>An object at a destination.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="Modified">When it was written.</param>
public readonly record struct StoredObject(string Name, long Length, DateTimeOffset Modified);
