namespace Pipeline.Server.Protocol;

/// <summary>A request is invalid.</summary>
internal sealed class BadRequestException(string message) : Exception(message);
