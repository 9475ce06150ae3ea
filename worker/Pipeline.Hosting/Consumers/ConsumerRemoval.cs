namespace Pipeline.Hosting.Consumers;

/// <summary>A removed consumer.</summary>
/// <param name="Name">The consumer.</param>
/// <param name="Position">The position that it had.</param>
/// <param name="ForgotPosition">Whether the position was removed too.</param>
/// <param name="HeldTombstones">Tombstones that were kept for it.</param>
internal sealed record ConsumerRemoval(string Name, long Position, bool ForgotPosition, long HeldTombstones);
