using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.EtlKit.Configuration;

public enum ProbeMode
{
    Slow,
    FullSpeed,
}

public sealed class ProbeNested
{
    [Setting("Deep.")]
    public bool Deep { get; init; }
}

/// <summary>One option of every type that the binder knows.</summary>
public sealed class ProbeOptions
{
    [Setting("Name of the thing.", Required = true)]
    public string Name { get; init; } = "";

    [Setting("Password.", Secret = true)]
    public string? Password { get; init; }

    [Setting("A secret number.", Secret = true)]
    public int Pin { get; init; }

    [Setting("Count.", Minimum = 1, Maximum = 10)]
    public int Count { get; init; } = 1;

    [Setting("Size.")]
    public long MaxBytes { get; init; }

    [Setting("Wait.", Minimum = 1)]
    public TimeSpan Wait { get; init; } = TimeSpan.FromSeconds(1);

    [Setting("Mode.")]
    public ProbeMode Mode { get; init; }

    [Setting("Ratio.")]
    public double Ratio { get; init; }

    [Setting("On.")]
    public bool On { get; init; }

    [Setting("List.", Example = "[a, b]")]
    public IReadOnlyList<string> List { get; init; } = [];

    [Setting("Map.")]
    public IReadOnlyDictionary<string, int> Map { get; init; } = new Dictionary<string, int>();

    [Setting("Width.", Deprecated = "write 'count'")]
    public int Width { get; init; }

    [Setting("Sparse.", ConflictsWith = ["dense"])]
    public bool Sparse { get; init; }

    [Setting("Dense.", ConflictsWith = ["sparse"])]
    public bool Dense { get; init; }

    [Setting("Nested.")]
    public ProbeNested Nested { get; init; } = new();
}

public sealed class ProbeDefinition : ConnectorDefinition<ProbeOptions>
{
    public static ConnectorCatalog Catalog { get; } = new([new ProbeDefinition()]);

    public override string Kind => "probe";

    public override string Summary => "For tests.";

    protected override IEnumerable<(string Key, string Message)> Validate(ProbeOptions options)
    {
        if (options.Name == "bad")
            yield return ("name", "'bad' will not do");
    }

    protected override IConnector Create(ProbeOptions options, ConnectorContext context) =>
        throw new NotSupportedException();
}
