namespace Pipeline.Yaml;

/// <summary>A setting whose secret was not read, since the file's commands were not run. Immutable.</summary>
/// <param name="Path">The setting, such as <c>connections.c.kafka.password</c>.</param>
/// <param name="Reference">The reference, such as <c>${command:db}</c>.</param>
/// <param name="Line">Its line in the file, from 1.</param>
/// <param name="Column">Its column in the line, from 1.</param>
public sealed record UnreadSecret(string Path, string Reference, int Line, int Column);
