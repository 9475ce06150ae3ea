namespace Pipeline.Server.Errors;

/// <summary>A request uses a feature that this server does not have.</summary>
internal sealed class UnsupportedException(string feature, string remedy)
    : Exception($"{feature} is not supported by this server: {remedy}.");
