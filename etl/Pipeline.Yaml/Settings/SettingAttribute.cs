namespace Pipeline.Yaml;

/// <summary>
/// Describes one key of the configuration. The reference page and the JSON Schema are generated from it.
/// </summary>
/// <param name="help">One sentence that gives its effect, unit and default.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class SettingAttribute(string help) : Attribute
{
    /// <summary>Its effect, unit and default.</summary>
    public string Help { get; } = help;

    /// <summary>Whether leaving it out is an error.</summary>
    public bool Required { get; init; }

    /// <summary>Whether its value must never be printed.</summary>
    public bool Secret { get; init; }

    /// <summary>
    /// The least value, in the setting's unit (seconds for durations, bytes for sizes). A number below it is an error.
    /// </summary>
    public double Minimum { get; init; } = double.NegativeInfinity;

    /// <summary>
    /// The greatest value, in the setting's unit (seconds for durations, bytes for sizes). A number above it is an
    /// error.
    /// </summary>
    public double Maximum { get; init; } = double.PositiveInfinity;

    /// <summary>For a deprecated key: what to write instead. The key still works, with a warning.</summary>
    public string? Deprecated { get; init; }

    /// <summary>Other keys of the same block, in camelCase, that must not be given together with it.</summary>
    public string[] ConflictsWith { get; init; } = [];

    /// <summary>For a list of mappings: whether a single mapping may be given instead.</summary>
    public bool AllowsSingle { get; init; }

    /// <summary>A value as one would write it, for the JSON Schema.</summary>
    public string? Example { get; init; }
}
