namespace Pipeline.Server.Security;

/// <summary>A client may not do what it asked for.</summary>
internal sealed class AccessDeniedException(string message) : Exception(message + ".");
