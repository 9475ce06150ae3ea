namespace Pipeline.Yaml;

/// <summary><c>secrets</c>: where <c>${command:NAME}</c> gets its values. Immutable.</summary>
public sealed class SecretsConfiguration
{
    /// <summary>Program and arguments.</summary>
    [Setting(
        "Program and arguments that print a secret. The NAME of '${command:NAME}' replaces '{name}' in them, or is appended. It runs without a shell.",
        Required = true
    )]
    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>How long it may take.</summary>
    [Setting("How long the command may take.", Minimum = 0.1, Maximum = 300)]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);
}
