using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Yaml;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Variables;

namespace Pipeline.Configuration;

/// <summary>Puts the phases together and checks what types alone cannot show.</summary>
internal sealed class ConfigurationReader
{
    private readonly SettingsBinder _binder;
    private readonly ConnectionBinder _connections;

    private ConfigurationReader(SettingsBinder binder, ConnectionBinder connections)
    {
        _binder = binder;
        _connections = connections;
        binder.Special<ConnectionConfiguration>(connections.Bind);
        binder.Special<SecretsConfiguration>(BindSecrets);
        binder.Special<LagConfiguration>(BindLag);
    }

    /// <summary>
    /// Reads a text. Returns the readable part even if there are faults; <see langword="null"/> if nothing is readable.
    /// </summary>
    /// <param name="path">The file it stands for.</param>
    /// <param name="text">The YAML.</param>
    /// <param name="variables">What variables stand for.</param>
    /// <param name="catalog">The connector kinds.</param>
    /// <param name="diagnostics">Takes faults and warnings; no secret that was read is in them.</param>
    /// <param name="isLenient">
    /// Whether variables that are not set, and secrets that cannot be read, are no faults. The result cannot be run
    /// then.
    /// </param>
    /// <param name="readsTestFiles">Whether the files of further test cases are read.</param>
    /// <param name="isForTestServer">Whether what <see cref="UnusedSettings"/> finds may stay open.</param>
    /// <param name="sources">Which secrets are read; those of the other kinds are left open.</param>
    /// <param name="beside">
    /// A file of test cases that is read for its task as if it held this text, whether the task names it or not.
    /// </param>
    public static PipelineConfiguration? Read(
        string path,
        string text,
        IVariableSource variables,
        ConnectorCatalog catalog,
        List<Diagnostic> diagnostics,
        bool isLenient = false,
        bool readsTestFiles = false,
        TestFileText? beside = null,
        bool isForTestServer = false,
        SecretSources sources = SecretSources.Files
    )
    {
        var root = YamlNodeReader.Read(path, text, diagnostics);
        if (root is null)
            return null;
        var baseDirectory = Path.GetDirectoryName(Path.GetFullPath(path))!;
        var secrets = new SecretValues();
        var unused = isForTestServer ? UnusedSettings.Find(root) : new HashSet<ConfigNode>();
        var command = isForTestServer ? null : FindSecrets(path, root, variables, diagnostics, isLenient);
        var unread = new List<(ConfigNode Node, string Reference)>();
        SettingsBinder NewBinder(string file, List<Diagnostic> faults) =>
            new(
                file,
                new VariableExpander(file, variables, faults)
                {
                    Secrets = new SecretReader(baseDirectory, command, sources),
                    Unread = file == path ? unread : null,
                    Values = secrets,
                    IsLenient = isLenient,
                    Unused = unused,
                },
                faults
            );
        var binder = NewBinder(path, diagnostics);
        var reader = new ConfigurationReader(
            binder,
            new ConnectionBinder(binder, () => NewBinder(path, []), catalog, baseDirectory, isForTestServer)
        );

        // All faults at once: in a file with a wrong number most keys are right.
        if (
            root is MappingNode mapping
            && mapping.Find("version") is ScalarNode version
            && int.TryParse(version.Raw, out var number)
            && number != PipelineConfiguration.SupportedVersion
        )
        {
            binder.Report(
                version,
                $"version {number} is not supported",
                $"this program reads version {PipelineConfiguration.SupportedVersion}"
            );
        }

        if (binder.BindObject(typeof(PipelineConfiguration), root, null, "") is not PipelineConfiguration configuration)
            return null;
        configuration.File = path;
        configuration.BaseDirectory = baseDirectory;
        configuration.SecretValues = secrets;
        configuration.Root = root;
        configuration.Unread =
        [
            .. unread
                .Where(u => binder.OpenPath(u.Node) is not null)
                .Select(u => new UnreadSecret(binder.OpenPath(u.Node)!, u.Reference, u.Node.Line, u.Node.Column)),
        ];
        foreach (var task in configuration.Etl)
            task.Helpers = configuration.Helpers;
        reader.Check(configuration);
        if (readsTestFiles)
            new TestFiles(binder).Read(configuration.Etl, baseDirectory, NewBinder, diagnostics, beside);
        if (!secrets.IsEmpty)
        {
            for (var i = 0; i < diagnostics.Count; i++)
                diagnostics[i] = diagnostics[i] with { Message = secrets.Redact(diagnostics[i].Message) };
        }

        return configuration;
    }

    // Before all else, since any other value may need it; its own values are variables only. Faults are reported when
    // the whole is bound.
    private static SecretsConfiguration? FindSecrets(
        string path,
        ConfigNode root,
        IVariableSource variables,
        List<Diagnostic> diagnostics,
        bool isLenient
    )
    {
        if ((root as MappingNode)?.Find("secrets") is not MappingNode node)
            return null;
        var faults = new List<Diagnostic>();
        var binder = new SettingsBinder(
            path,
            new VariableExpander(path, variables, faults) { IsLenient = isLenient },
            faults
        );
        var bound = binder.BindObject(
            typeof(SecretsConfiguration),
            node,
            ((MappingNode)root).FindKey("secrets"),
            "secrets"
        );
        return faults.Count > 0 ? null : (SecretsConfiguration?)bound;
    }

    private SecretsConfiguration? BindSecrets(string path, ConfigNode node, ScalarNode? key)
    {
        var secrets = _binder.Expander.Secrets;
        _binder.Expander.Secrets = null;
        var bound = _binder.BindObject(typeof(SecretsConfiguration), node, key, path);
        _binder.Expander.Secrets = secrets;
        return (SecretsConfiguration?)bound;
    }

    private void Check(PipelineConfiguration configuration)
    {
        if (_binder.FindNode(configuration, "database") is MappingNode)
            new DatabaseSettingsCheck(_binder).Check(configuration.Database, configuration.BaseDirectory);

        if (_binder.FindNode(configuration, "import") is { } import)
        {
            for (var i = 0; i < configuration.Import.Count; i++)
            {
                _binder.CheckPath(
                    (import as SequenceNode)?.Items.ElementAtOrDefault(i),
                    $"import[{i}]",
                    configuration.Import[i]
                );
            }

            configuration.Import =
            [
                .. configuration
                    .Import.Where(f => f.Length > 0)
                    .Select(f => Path.GetFullPath(f, configuration.BaseDirectory)),
            ];
        }

        if (_binder.FindNode(configuration, "server") is MappingNode)
            new ServerCheck(_binder).Check(configuration.Server, configuration.BaseDirectory);
        if (configuration.Cluster is { } cluster)
        {
            new ClusterCheck(_binder).Check(
                cluster,
                configuration.Database,
                configuration.Server,
                configuration.BaseDirectory
            );
        }

        if (configuration.Actors is { } actors)
        {
            if (actors.Assembly is { Length: > 0 } assembly)
                actors.Assembly = Path.GetFullPath(assembly, configuration.BaseDirectory);
            if (actors.Hocon is { Length: > 0 } hocon)
                actors.Hocon = Path.GetFullPath(hocon, configuration.BaseDirectory);
            if (actors.Cluster is not null && configuration.Cluster is null)
            {
                _binder.ReportAt(
                    actors,
                    "cluster",
                    "actors.cluster needs the section cluster: it joins the actor systems of several nodes",
                    "add the section cluster, or remove actors.cluster"
                );
            }
        }

        new BackupCheck(_binder).Check(
            configuration.Backups,
            configuration.BaseDirectory,
            configuration.Database.Encryption is not null,
            configuration.Cluster is not null
        );
        IndexCheck.Check(_binder, configuration.Indexes);
        new SubscriptionCheck(_binder).Check(configuration.Subscriptions);
        new TaskCheck(_binder).Check(configuration.Etl, configuration.Connections, _connections.Names);
    }

    /// <summary>A duration alone is the age.</summary>
    private LagConfiguration? BindLag(string path, ConfigNode node, ScalarNode? key)
    {
        if (node is not ScalarNode { IsNull: false } duration)
            return (LagConfiguration?)_binder.BindObject(typeof(LagConfiguration), node, key, path);
        var mapping = new MappingNode(node.Line, node.Column);
        mapping.TryAdd(new ScalarNode(node.Line, node.Column, "age", duration.Text, isPlain: true), duration);
        return (LagConfiguration?)_binder.BindObject(typeof(LagConfiguration), mapping, key, path);
    }
}
