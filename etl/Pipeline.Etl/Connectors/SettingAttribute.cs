namespace Pipeline.Etl.Connectors;

/// <summary>Describes one key of the configuration; the reference page and the JSON Schema are made from it.</summary>
/// <param name="help">One sentence: what it does, its unit, its default.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class SettingAttribute(string help) : Attribute
{
    /// <summary>What it does, its unit, its default.</summary>
    public string Help { get; } = help;

    /// <summary>Whether leaving it out is an error.</summary>
    public bool Required { get; init; }

    /// <summary>Whether its value must never be printed.</summary>
    public bool Secret { get; init; }

    /// <summary>The least value, in the setting's unit (seconds for durations, bytes for sizes). A number below it is an error.</summary>
    public double Minimum { get; init; } = double.NegativeInfinity;

    /// <summary>The greatest value, in the setting's unit (seconds for durations, bytes for sizes). A number above it is an error.</summary>
    public double Maximum { get; init; } = double.PositiveInfinity;

    /// <summary>For a key that is no longer to be used: what to write instead. It still works, with a warning.</summary>
    public string? Deprecated { get; init; }

    /// <summary>Keys beside it, in camelCase, of which none can be given together with it.</summary>
    public string[] ConflictsWith { get; init; } = [];

    /// <summary>For a list of mappings: whether one mapping may stand in its place.</summary>
    public bool AllowsSingle { get; init; }

    /// <summary>A value as one would write it, for the JSON Schema.</summary>
    public string? Example { get; init; }
}
