namespace Pipeline.Server.Protocol;

/// <summary>A request is not what it should be.</summary>
internal sealed class BadRequestException(string message) : Exception(message);
