using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors;

/// <summary>A connection's current options.</summary>
/// <param name="Options">The options; <see langword="null"/> where they have a fault now.</param>
/// <param name="Read">Every variable and secret that is in them, with its value.</param>
/// <param name="Fault">The fault.</param>
internal sealed record ConnectionOptions(object? Options, IReadOnlyDictionary<string, string> Read, Diagnostic? Fault);
