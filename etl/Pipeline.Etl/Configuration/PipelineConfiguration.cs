using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;

namespace Pipeline.Etl.Configuration;

/// <summary>A whole <c>pipeline.yaml</c>, read and checked. Immutable and thread-safe.</summary>
/// <remarks>Read in phases: YAML to nodes with their places; nodes to these classes, variables put into single values; checks across keys. Transforms are
/// compiled later, by <see cref="EtlPlan.Create"/> or <see cref="Lint"/>.</remarks>
public sealed class PipelineConfiguration
{
    /// <summary>The version of the format that this program reads.</summary>
    public const int SupportedVersion = 1;

    /// <summary>The format's version.</summary>
    [Setting("Version of this file's format: 1.", Required = true)]
    public int Version { get; init; }

    /// <summary>The database.</summary>
    [Setting("The database.", Required = true)]
    public DatabaseConfiguration Database { get; init; } = new();

    /// <summary>Files to import; absolute after loading.</summary>
    [Setting("Files of JSON lines that are imported, in this order, into a database that is empty. Relative to this file.")]
    public IReadOnlyList<string> Import { get; internal set; } = [];

    /// <summary>The indexes, in the file's order.</summary>
    [Setting("Indexes of the database. They are made or changed at the start; one that is no longer here stays until 'pipeline index delete'.")]
    public IReadOnlyList<IndexConfiguration> Indexes { get; init; } = [];

    /// <summary>Where secrets come from.</summary>
    [Setting("Where '${command:NAME}' gets its values; '${file:PATH}' and '${NAME}' need nothing here.")]
    public SecretsConfiguration? Secrets { get; init; }

    /// <summary>The connections by name.</summary>
    [Setting("Where messages can go, by name; each entry holds one kind of connector with its options.")]
    public IReadOnlyDictionary<string, ConnectionConfiguration> Connections { get; init; } = new Dictionary<string, ConnectionConfiguration>();

    /// <summary>The subscriptions, in the file's order.</summary>
    [Setting("Subscriptions of the database. They are made or changed at the start; one that is no longer here stays.")]
    public IReadOnlyList<SubscriptionConfiguration> Subscriptions { get; init; } = [];

    /// <summary>The helpers by name.</summary>
    [Setting("C# methods and constants that all transforms share, such as: static string Short(string s) => s.Substring(0, 3); by a name for their errors. Variables are not put into them.")]
    public IReadOnlyDictionary<string, ScriptText> Helpers { get; init; } = new Dictionary<string, ScriptText>();

    /// <summary>The tasks, in the file's order.</summary>
    [Setting("The tasks.")]
    public IReadOnlyList<EtlTaskConfiguration> Etl { get; init; } = [];

    /// <summary>The actor system in the worker's process.</summary>
    [Setting("An actor system of Akka.NET in the worker's process, whose actors persist in the database. Only where the program was built with Akka.NET.")]
    public ActorsConfiguration? Actors { get; init; }

    /// <summary>The backups, in the file's order.</summary>
    [Setting("Backups of the database: made on schedule by 'pipeline run', and by 'pipeline backup run NAME'.")]
    public IReadOnlyList<BackupConfiguration> Backups { get; init; } = [];

    /// <summary>Whether changes of the file are applied while the worker runs.</summary>
    [Setting("Whether a running worker applies changes of this file by itself, as 'pipeline apply' does: tasks that do not change go on, and a file with faults changes nothing.")]
    public bool Watch { get; init; }

    /// <summary>The worker's own address.</summary>
    [Setting("The worker's own address.")]
    public ServerConfiguration Server { get; init; } = new();

    /// <summary>When slow consumers or a disk that fills make the health degraded.</summary>
    [Setting("When slow consumers of changes, or a disk that fills, make the worker's health degraded.")]
    public HealthConfiguration Health { get; init; } = new();

    /// <summary>The file as the caller named it.</summary>
    public string File { get; internal set; } = "";

    /// <summary>The file's folder, absolute; relative paths start here.</summary>
    public string BaseDirectory { get; internal set; } = "";

    /// <summary>SHA-256 of the file's bytes as they were read, in hexadecimal; <see langword="null"/> where the configuration was read from a text.</summary>
    public string? TextHash { get; private set; }

    /// <summary>What was found that is no fault, such as deprecated keys.</summary>
    public IReadOnlyList<Diagnostic> Warnings { get; private set; } = [];

    /// <summary>What must not be printed.</summary>
    internal SecretValues SecretValues { get; set; } = new();

    /// <summary>The text with every secret of this configuration masked: those marked as such and what <c>${file:…}</c> and <c>${command:…}</c> gave. Thread-safe.</summary>
    public string Redact(string text) => SecretValues.Redact(text);

    /// <summary>Reads and checks a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for; <see cref="EnvironmentVariables.Instance"/> in the worker.</param>
    /// <param name="catalog">The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> where <see langword="null"/>.</param>
    /// <exception cref="ConfigurationException">The file cannot be read or has faults; all of them are in it.</exception>
    public static PipelineConfiguration Load(string path, IVariableSource variables, ConnectorCatalog? catalog = null)
    {
        var diagnostics = new List<Diagnostic>();
        string? text = ConfigurationFile.Read(path, diagnostics, out string? hash);
        PipelineConfiguration configuration = Finish(text is null ? null : ConfigurationReader.Read(path, text, variables, catalog ?? ConnectorCatalog.BuiltIn, diagnostics), diagnostics);
        configuration.TextHash = hash;
        return configuration;
    }

    /// <summary>Reads and checks a text as if it were the named file's.</summary>
    /// <inheritdoc cref="Load"/>
    /// <param name="text">The YAML.</param>
    /// <param name="path">The file it stands for; it need not exist.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for.</param>
    /// <param name="catalog">The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> where <see langword="null"/>.</param>
    public static PipelineConfiguration Parse(string text, string path, IVariableSource variables, ConnectorCatalog? catalog = null)
    {
        var diagnostics = new List<Diagnostic>();
        return Finish(ConfigurationReader.Read(path, text, variables, catalog ?? ConnectorCatalog.BuiltIn, diagnostics), diagnostics);
    }

    /// <summary>Finds every fault and warning of a file, those of the transforms included, in the order of their places; empty where all is well.</summary>
    /// <inheritdoc cref="Load"/>
    /// <param name="path">The file.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for.</param>
    /// <param name="catalog">The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> where <see langword="null"/>.</param>
    /// <param name="ignoresVariables">Whether variables that are not set, and secrets that cannot be read here, are no faults.</param>
    public static IReadOnlyList<Diagnostic> Lint(string path, IVariableSource variables, ConnectorCatalog? catalog = null, bool ignoresVariables = false)
    {
        var diagnostics = new List<Diagnostic>();
        string? text = ConfigurationFile.Read(path, diagnostics);
        if (text is not null) Compile(ConfigurationReader.Read(path, text, variables, catalog ?? ConnectorCatalog.BuiltIn, diagnostics, ignoresVariables, readsTestFiles: true), diagnostics);
        return ConfigurationFile.Order(diagnostics);
    }

    /// <summary>Reads a file for its test cases, for which variables and secrets need not be there; it cannot be run.</summary>
    internal static PipelineConfiguration LoadForTests(string path, IVariableSource variables, ConnectorCatalog catalog, TestFileText? beside = null)
    {
        var diagnostics = new List<Diagnostic>();
        string? text = ConfigurationFile.Read(path, diagnostics);
        return Finish(text is null ? null : ConfigurationReader.Read(path, text, variables, catalog, diagnostics, isLenient: true, readsTestFiles: true, beside), diagnostics);
    }

    /// <summary>Reads a file, or a text in its place, for a server in a test's process, which does not use what <see cref="UnusedSettings"/> finds.</summary>
    internal static PipelineConfiguration LoadForTestServer(string path, string? text, IVariableSource variables, ConnectorCatalog catalog)
    {
        var diagnostics = new List<Diagnostic>();
        text ??= ConfigurationFile.Read(path, diagnostics);
        return Finish(text is null ? null : ConfigurationReader.Read(path, text, variables, catalog, diagnostics, isForTestServer: true), diagnostics);
    }

    private static PipelineConfiguration Finish(PipelineConfiguration? configuration, List<Diagnostic> diagnostics)
    {
        if (diagnostics.Exists(d => !d.IsWarning))
        {
            // All that is wrong at once: the scripts' errors too.
            Compile(configuration, diagnostics);
            throw new ConfigurationException(ConfigurationFile.Order([.. diagnostics.Where(d => !d.IsWarning)]));
        }

        configuration!.Warnings = ConfigurationFile.Order(diagnostics);
        return configuration;
    }

    private static void Compile(PipelineConfiguration? configuration, List<Diagnostic> diagnostics)
    {
        foreach (IndexConfiguration index in configuration?.Indexes ?? []) IndexCheck.Compile(index, diagnostics);
        foreach (EtlTaskConfiguration task in configuration?.Etl ?? [])
        {
            if (TransformCompiler.Compile(task, diagnostics) is not null && configuration!.Connections.GetValueOrDefault(task.To) is { } connection)
                TransformCompiler.CheckDestinations(task, connection, diagnostics);
        }
    }
}
