namespace Pipeline.Yaml;

/// <summary>How large a configuration file may be. What is over is refused with the limit's name.</summary>
public static class ConfigurationLimits
{
    /// <summary>Largest file, in bytes.</summary>
    public const int MaxFileBytes = 1 << 20;

    /// <summary>Deepest nesting of lists and mappings, and of variables in the defaults of others.</summary>
    public const int MaxDepth = 32;

    /// <summary>Most keys and values, every use of an alias counted whole.</summary>
    public const int MaxNodes = 100_000;

    /// <summary>The longest value after the expansion of variables, in characters.</summary>
    public const int MaxValueLength = 1 << 20;

    /// <summary>Most faults that are reported at once.</summary>
    public const int MaxDiagnostics = 100;
}
