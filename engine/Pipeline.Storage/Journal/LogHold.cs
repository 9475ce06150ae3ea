namespace Pipeline.Storage;

/// <summary>Somebody for whom the journal is kept.</summary>
/// <param name="Name">Who.</param>
/// <param name="Position">From where on.</param>
public sealed record LogHold(string Name, LogPosition Position);
