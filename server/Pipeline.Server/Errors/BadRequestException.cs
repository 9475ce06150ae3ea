namespace Pipeline.Server.Errors;

/// <summary>A request is invalid.</summary>
internal sealed class BadRequestException(string message) : Exception(message);
