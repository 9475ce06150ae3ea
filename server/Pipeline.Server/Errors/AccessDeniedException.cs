namespace Pipeline.Server.Errors;

/// <summary>A client lacks the permission for its request.</summary>
internal sealed class AccessDeniedException(string message) : Exception(message + ".");
