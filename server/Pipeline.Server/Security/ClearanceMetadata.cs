namespace Pipeline.Server.Security;

/// <summary>An endpoint's clearance.</summary>
internal sealed record ClearanceMetadata(ServerClearance Clearance);
