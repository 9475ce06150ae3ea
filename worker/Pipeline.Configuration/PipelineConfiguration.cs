using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Yaml;
using Pipeline.Yaml.Files;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Secrets;

namespace Pipeline.Configuration;

/// <summary>A whole <c>pipeline.yaml</c>, read and checked. Immutable and thread-safe.</summary>
/// <remarks>Read in phases: YAML to nodes with their places; nodes to these classes, variables put into single values;
/// checks across keys. Transforms are compiled later, by <see cref="CreatePlan"/> or <see cref="Lint"/>.</remarks>
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
    [Setting("Files of JSON lines to import, in this order, if the database is empty. Relative to this file.")]
    public IReadOnlyList<string> Import { get; internal set; } = [];

    /// <summary>The indexes, in the file's order.</summary>
    [Setting(
        "Indexes of the database, created or changed at the start. An index that is removed here stays until 'pipeline index delete'."
    )]
    public IReadOnlyList<IndexConfiguration> Indexes { get; init; } = [];

    /// <summary>The limits of indexes.</summary>
    [Setting("Limits of the indexes of all databases.")]
    public IndexingConfiguration Indexing { get; init; } = new();

    /// <summary>Where secrets come from.</summary>
    [Setting("Where '${command:NAME}' gets its values; '${file:PATH}' and '${NAME}' need nothing here.")]
    public SecretsConfiguration? Secrets { get; init; }

    /// <summary>The connections by name.</summary>
    [Setting("Where messages can go, by name; each entry holds one kind of connector with its options.")]
    public IReadOnlyDictionary<string, ConnectionConfiguration> Connections { get; init; } =
        new Dictionary<string, ConnectionConfiguration>();

    /// <summary>The subscriptions, in the file's order.</summary>
    [Setting(
        "Subscriptions of the database, created or changed at the start. A subscription that is removed here stays."
    )]
    public IReadOnlyList<SubscriptionConfiguration> Subscriptions { get; init; } = [];

    /// <summary>The helpers by name.</summary>
    [Setting(
        "C# methods and constants that all transforms share, such as: static string Short(string s) => s.Substring(0, 3); by a name that their errors show. Variables are not expanded in them."
    )]
    public IReadOnlyDictionary<string, ScriptText> Helpers { get; init; } = new Dictionary<string, ScriptText>();

    /// <summary>The tasks, in the file's order.</summary>
    [Setting("The tasks.")]
    public IReadOnlyList<EtlTaskConfiguration> Etl { get; init; } = [];

    /// <summary>The actor system in the worker's process.</summary>
    [Setting(
        "An actor system of Akka.NET in the worker's process, whose actors persist in the database. Only in a program that was built with Akka.NET."
    )]
    public ActorsConfiguration? Actors { get; init; }

    /// <summary>The backups, in the file's order.</summary>
    [Setting("Backups of the database: made on schedule by 'pipeline run', and by 'pipeline backup run NAME'.")]
    public IReadOnlyList<BackupConfiguration> Backups { get; init; } = [];

    /// <summary>Whether changes of the file are applied while the worker runs.</summary>
    [Setting(
        "Whether a running worker applies changes of this file by itself, as 'pipeline apply' does. Unchanged tasks keep running, and a file with faults changes nothing."
    )]
    public bool Watch { get; init; }

    /// <summary>This worker's cluster; <see langword="null"/> if it is alone.</summary>
    [Setting(
        "A cluster of workers that keep one database through a shared log. Without it, the worker is alone and writes to its own disk only."
    )]
    public ClusterConfiguration? Cluster { get; init; }

    /// <summary>The worker's own address.</summary>
    [Setting("The worker's own address.")]
    public ServerConfiguration Server { get; init; } = new();

    /// <summary>When slow consumers or a disk that fills make the health degraded.</summary>
    [Setting("When slow consumers of changes, or a full disk, degrade the worker's health.")]
    public HealthConfiguration Health { get; init; } = new();

    /// <summary>The file as the caller named it.</summary>
    public string File { get; internal set; } = "";

    /// <summary>The file's folder, absolute; relative paths start here.</summary>
    public string BaseDirectory { get; internal set; } = "";

    /// <summary>
    /// SHA-256 of the file's bytes, in hexadecimal; <see langword="null"/> if the configuration was read from a text.
    /// </summary>
    public string? TextHash { get; private set; }

    /// <summary>Findings that are no faults, such as deprecated keys.</summary>
    public IReadOnlyList<Diagnostic> Warnings { get; private set; } = [];

    /// <summary>
    /// The settings whose secrets were not read, since the file's commands were not run; their values are unknown.
    /// Empty for a configuration that can be run.
    /// </summary>
    public IReadOnlyList<UnreadSecret> Unread { get; internal set; } = [];

    /// <summary>The parsed file; null if the configuration was made in code.</summary>
    internal ConfigNode? Root { get; set; }

    /// <summary>Where the file has a setting, or the nearest one around it.</summary>
    /// <param name="path">The setting's path, such as <c>backups[0].to</c>.</param>
    /// <returns>Line and column, from 1; null if the file does not contain it.</returns>
    public (int Line, int Column)? Locate(string path) =>
        Root is not null && SettingPlaces.Find(Root, path, isExact: false) is { } node
            ? (node.Line, node.Column)
            : null;

    /// <summary>
    /// The text of a setting as the file has it, variables not put in; null where the file does not have it, or it is
    /// not a single value.
    /// </summary>
    public string? TextOf(string path) =>
        Root is not null && SettingPlaces.Find(Root, path, isExact: true) is ScalarNode scalar ? scalar.Raw : null;

    /// <summary>The values that must not be printed.</summary>
    internal SecretValues SecretValues { get; set; } = new();

    /// <summary>
    /// The text with every secret of this configuration masked: those marked as such and what <c>${file:…}</c> and
    /// <c>${command:…}</c> gave. Thread-safe.
    /// </summary>
    public string Redact(string text) => SecretValues.Redact(text);

    /// <summary>Reads and checks a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="variables">
    /// What <c>${VAR}</c> stands for; <see cref="EnvironmentVariables.Instance"/> in the worker.
    /// </param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    /// <param name="runsCommands">
    /// Whether <c>secrets.command</c> is run. Where it is not, the values that need it are left open and are in
    /// <see cref="Unread"/>.
    /// </param>
    /// <exception cref="ConfigurationException">
    /// The file cannot be read or has faults; all of them are in it.
    /// </exception>
    public static PipelineConfiguration Load(
        string path,
        IVariableSource variables,
        ConnectorCatalog? catalog = null,
        bool runsCommands = true
    )
    {
        var diagnostics = new List<Diagnostic>();
        var text = ConfigurationFile.Read(path, diagnostics, out var hash);
        var configuration = Finish(
            text is null
                ? null
                : ConfigurationReader.Read(
                    path,
                    text,
                    variables,
                    catalog ?? ConnectorCatalog.BuiltIn,
                    diagnostics,
                    sources: runsCommands ? SecretSources.FilesAndCommands : SecretSources.Files
                ),
            diagnostics
        );
        configuration.TextHash = hash;
        return configuration;
    }

    /// <summary>Reads and checks a text as if it were the named file's.</summary>
    /// <inheritdoc cref="Load"/>
    /// <param name="text">The YAML.</param>
    /// <param name="path">The file it stands for; it need not exist.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for.</param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    public static PipelineConfiguration Parse(
        string text,
        string path,
        IVariableSource variables,
        ConnectorCatalog? catalog = null
    )
    {
        var diagnostics = new List<Diagnostic>();
        return Finish(
            ConfigurationReader.Read(
                path,
                text,
                variables,
                catalog ?? ConnectorCatalog.BuiltIn,
                diagnostics,
                sources: SecretSources.FilesAndCommands
            ),
            diagnostics
        );
    }

    /// <summary>
    /// Finds every fault and warning of a file, those of the transforms included, in order of their places; empty if
    /// there are none.
    /// </summary>
    /// <inheritdoc cref="Load"/>
    /// <param name="path">The file.</param>
    /// <param name="variables">What <c>${VAR}</c> stands for.</param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    /// <param name="ignoresVariables">
    /// Whether variables that are not set are no faults, and no secret file outside the configuration's folder is read.
    /// </param>
    /// <param name="runsCommands">
    /// Whether <c>secrets.command</c> is run; if not, values that need it are not checked.
    /// </param>
    public static IReadOnlyList<Diagnostic> Lint(
        string path,
        IVariableSource variables,
        ConnectorCatalog? catalog = null,
        bool ignoresVariables = false,
        bool runsCommands = false
    )
    {
        var diagnostics = new List<Diagnostic>();
        var text = ConfigurationFile.Read(path, diagnostics);
        if (text is not null)
        {
            Compile(
                ConfigurationReader.Read(
                    path,
                    text,
                    variables,
                    catalog ?? ConnectorCatalog.BuiltIn,
                    diagnostics,
                    ignoresVariables,
                    readsTestFiles: true,
                    sources: runsCommands ? SecretSources.FilesAndCommands
                        : ignoresVariables ? SecretSources.OwnFiles
                        : SecretSources.Files
                ),
                diagnostics
            );
        }

        return ConfigurationFile.Order(diagnostics);
    }

    /// <summary>
    /// Reads a file for its test cases, for which variables need not be there; it cannot be run. Without its commands,
    /// no secret file outside its folder is read either.
    /// </summary>
    internal static PipelineConfiguration LoadForTests(
        string path,
        IVariableSource variables,
        ConnectorCatalog catalog,
        TestFileText? beside = null,
        bool runsCommands = false
    )
    {
        var diagnostics = new List<Diagnostic>();
        var text = ConfigurationFile.Read(path, diagnostics);
        return Finish(
            text is null
                ? null
                : ConfigurationReader.Read(
                    path,
                    text,
                    variables,
                    catalog,
                    diagnostics,
                    isLenient: true,
                    readsTestFiles: true,
                    beside,
                    sources: runsCommands ? SecretSources.FilesAndCommands : SecretSources.OwnFiles
                ),
            diagnostics
        );
    }

    /// <summary>
    /// Reads a file, or a text in its place, for a server in a test's process, which does not use what
    /// <see cref="UnusedSettings"/> finds.
    /// </summary>
    internal static PipelineConfiguration LoadForTestServer(
        string path,
        string? text,
        IVariableSource variables,
        ConnectorCatalog catalog
    )
    {
        var diagnostics = new List<Diagnostic>();
        text ??= ConfigurationFile.Read(path, diagnostics);
        return Finish(
            text is null
                ? null
                : ConfigurationReader.Read(path, text, variables, catalog, diagnostics, isForTestServer: true),
            diagnostics
        );
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

    /// <summary>Compiles every transform and index, those of disabled tasks too.</summary>
    /// <param name="transforms">The transforms that are classes of this program.</param>
    /// <exception cref="ConfigurationException">
    /// One does not compile or is missing; all errors of all of them are in it.
    /// </exception>
    public EtlPlan CreatePlan(TransformCatalog? transforms = null)
    {
        Use(transforms);
        var diagnostics = new List<Diagnostic>();
        foreach (var index in Indexes)
            IndexCheck.Compile(index, diagnostics);
        var plan = EtlPlan.Compile(BaseDirectory, Etl, Connections, diagnostics);
        return diagnostics.Count == 0 ? plan : throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
    }

    /// <summary>
    /// Gives the tasks the transforms that are classes of the program. To be called before they are compiled.
    /// </summary>
    internal void Use(TransformCatalog? transforms)
    {
        foreach (var task in Etl)
            task.Classes = transforms;
    }

    private static void Compile(PipelineConfiguration? configuration, List<Diagnostic> diagnostics)
    {
        foreach (var index in configuration?.Indexes ?? [])
            IndexCheck.Compile(index, diagnostics);
        foreach (var task in configuration?.Etl ?? [])
        {
            // Only the program knows its classes.
            if (
                task.Class is null
                && TransformCompiler.Compile(task, diagnostics) is not null
                && configuration!.Connections.GetValueOrDefault(task.To) is { } connection
            )
            {
                TransformCompiler.CheckDestinations(task, connection, diagnostics);
            }
        }
    }
}
