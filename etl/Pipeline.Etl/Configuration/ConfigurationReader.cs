using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Subscriptions;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Files;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Variables;

namespace Pipeline.Etl.Configuration;

/// <summary>Puts the phases together and checks what types alone cannot show.</summary>
internal sealed class ConfigurationReader
{
    private readonly ConnectorCatalog _catalog;
    private readonly SettingsBinder _binder;
    private readonly Func<SettingsBinder> _newBinder;
    private readonly HashSet<string> _connectionNames = new(StringComparer.Ordinal);

    private readonly string _baseDirectory;
    private bool _isForTestServer;

    private ConfigurationReader(
        ConnectorCatalog catalog,
        SettingsBinder binder,
        Func<SettingsBinder> newBinder,
        string baseDirectory
    )
    {
        _baseDirectory = baseDirectory;
        _catalog = catalog;
        _binder = binder;
        _newBinder = newBinder;
        binder.Special<ConnectionConfiguration>(BindConnection);
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
        var reader = new ConfigurationReader(catalog, binder, () => NewBinder(path, []), baseDirectory)
        {
            _isForTestServer = isForTestServer,
        };

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
            reader.ReadTestFiles(configuration, NewBinder, diagnostics, beside);
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

    private ConnectionConfiguration? BindConnection(string path, ConfigNode node, ScalarNode? key)
    {
        var name = key!.Raw;
        _connectionNames.Add(name);
        CheckName(key, "a connection's name", name);
        var kinds = string.Join(", ", _catalog.Definitions.Select(d => d.Kind));
        if (node is not MappingNode { Entries.Count: 1 } mapping)
        {
            _binder.Report(
                node is ScalarNode { IsNull: true } ? key : node,
                $"{path} must hold one kind of connector with its options",
                $"one of: {kinds}"
            );
            return null;
        }

        (var kind, var options) = mapping.Entries[0];
        var definition = _catalog.Find(kind.Raw);
        if (definition is null)
        {
            _binder.Report(
                kind,
                $"unknown kind of connector '{kind.Raw}' in {path}",
                Spelling.Suggest(kind.Raw, _catalog.Definitions.Select(d => d.Kind))
            );
            return null;
        }

        var optionsPath = $"{path}.{kind.Raw}";
        var open = _binder.Expander.Open;
        _binder.Expander.Begin();
        var bound = BindOptions(_binder, definition, options, kind, optionsPath);
        if (bound is null)
            return null;
        var connection = new ConnectionConfiguration(name, definition, bound)
        {
            Secrets = _binder.Expander.Values!,
            Read = _binder.Expander.Read,
        };
        if (_binder.Expander.Open > open)
            return connection;
        ConnectionOptions Bind()
        {
            var binder = _newBinder();
            var anew = BindOptions(binder, definition, options, kind, optionsPath);
            return new ConnectionOptions(binder.Count == 0 ? anew : null, binder.Expander.Read, binder.FirstFault);
        }

        return connection with
        {
            Renew = Bind,
        };
    }

    private object? BindOptions(
        SettingsBinder binder,
        ConnectorDefinition definition,
        ConfigNode options,
        ScalarNode kind,
        string path
    )
    {
        (var before, var open) = (binder.Count, binder.Expander.Open);
        var bound = binder.BindObject(definition.OptionsType, options, kind, path);
        if (bound is null || binder.Count > before)
            return null;
        if (binder.Expander.Open > open)
            return bound;
        // Where the file is only checked, on another machine perhaps, the files that it names need not be there.
        var faults = definition.Validate(bound);
        if (!binder.Expander.IsLenient && !_isForTestServer)
            faults = faults.Concat(definition.FindMissingFiles(bound, _baseDirectory));
        foreach ((var option, var message) in faults)
            binder.ReportAt(bound, option, $"{path}.{option}: {message}", null);
        return bound;
    }

    private void Check(PipelineConfiguration configuration)
    {
        var database = configuration.Database;
        if (_binder.FindNode(configuration, "database") is MappingNode)
        {
            if (_binder.FindNode(database, "name") is ScalarNode { IsNull: false } name && !_binder.HasFaultAt(name))
                CheckName(name, "database.name", database.Name);
            CheckPath(_binder.FindNode(database, "path"), "database.path", database.Path);
            if (database.Path.Length > 0)
                database.Path = Path.GetFullPath(database.Path, configuration.BaseDirectory);
            CheckPath(_binder.FindNode(database, "journalPath"), "database.journalPath", database.JournalPath);
            if (database.JournalPath.Length > 0)
                database.JournalPath = Path.GetFullPath(database.JournalPath, configuration.BaseDirectory);
            if (database.Encryption is { } encryption)
                CheckEncryption(encryption, _binder.FindNode(database, "encryption")!, configuration.BaseDirectory);
            if (database.Revisions is { } revisions)
                CheckRevisions(revisions);
        }

        if (_binder.FindNode(configuration, "import") is { } import)
        {
            for (var i = 0; i < configuration.Import.Count; i++)
            {
                CheckPath(
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
            CheckServer(configuration.Server, configuration.BaseDirectory);
        if (configuration.Actors is { } actors)
        {
            if (actors.Assembly is { Length: > 0 } assembly)
                actors.Assembly = Path.GetFullPath(assembly, configuration.BaseDirectory);
            if (actors.Hocon is { Length: > 0 } hocon)
                actors.Hocon = Path.GetFullPath(hocon, configuration.BaseDirectory);
        }

        new BackupCheck(_binder).Check(configuration);
        CheckIndexes(configuration.Indexes);
        CheckSubscriptions(configuration.Subscriptions);
        CheckTasks(configuration);
    }

    private void CheckRevisions(RevisionsConfiguration revisions)
    {
        if (_binder.FindNode(revisions, "collections") is not MappingNode collections)
            return;
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach ((var key, _) in collections.Entries)
        {
            if (!lines.TryAdd(key.Raw, key.Line))
            {
                _binder.Report(
                    key,
                    $"the collection '{key.Raw}' is defined twice, first in line {lines[key.Raw]}; collection names ignore case",
                    "write its policy once"
                );
            }
            else if (
                key.Raw.Length == 0
                || System.Text.Encoding.UTF8.GetByteCount(key.Raw) > 256
                || key.Raw.Any(char.IsControl)
            )
            {
                _binder.Report(key, "a collection's name has 1 to 256 bytes of UTF-8 and no control characters", null);
            }
        }
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

    private void CheckSubscriptions(IReadOnlyList<SubscriptionConfiguration> subscriptions)
    {
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var subscription in subscriptions)
        {
            if (
                _binder.FindNode(subscription, "name") is not ScalarNode { IsNull: false } name
                || _binder.HasFaultAt(name)
            )
            {
                continue;
            }

            if (!lines.TryAdd(subscription.Name, name.Line))
            {
                _binder.Report(
                    name,
                    $"the subscription '{subscription.Name}' is defined twice, first in line {lines[subscription.Name]}",
                    "give it another name"
                );
            }

            try
            {
                subscription.ToDefinition().Validate();
            }
            catch (SubscriptionException e)
            {
                foreach (var fault in e.Faults)
                    Report(subscription, fault);
            }
        }
    }

    private void Report(SubscriptionConfiguration subscription, SubscriptionFault fault)
    {
        var key = JsonNamingPolicy.CamelCase.ConvertName(fault.Part.ToString());
        var node = _binder.FindNode(subscription, key);
        if (fault.Line > 0 && node is ScalarNode { IsNull: false } text)
        {
            (var line, var column) = text.Text.Locate(fault.Line, fault.Column);
            _binder.Report(line, column, fault.Message, fault.Suggestion);
        }
        else
        {
            _binder.ReportAt(
                subscription,
                key,
                $"subscription '{subscription.Name}': {fault.Message}",
                fault.Suggestion
            );
        }
    }

    private void CheckIndexes(IReadOnlyList<IndexConfiguration> indexes)
    {
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var index in indexes)
        {
            if (_binder.FindNode(index, "name") is ScalarNode { IsNull: false } name && !_binder.HasFaultAt(name))
            {
                if (index.Name.Length is 0 or > IndexDefinition.MaxNameLength || index.Name.Any(char.IsControl))
                {
                    _binder.Report(
                        name,
                        $"an index's name has 1 to {IndexDefinition.MaxNameLength} characters, none of them a control character",
                        null
                    );
                }
                else if (!lines.TryAdd(index.Name, name.Line))
                {
                    _binder.Report(
                        name,
                        $"the index '{index.Name}' is defined twice, first in line {lines[index.Name]}",
                        "give it another name"
                    );
                }
            }

            if (_binder.FindNode(index, "maps") is SequenceNode { Items.Count: 0 } maps)
            {
                _binder.Report(
                    maps,
                    $"index '{index.Name}' has no map",
                    "write at least one: from o in docs.Orders select new { o.Company }"
                );
            }

            foreach (var field in index.Fields.Values)
            {
                if (field.Boost < 0)
                    _binder.ReportAt(field, "boost", "a boost is a number from 0", null);
                if (field.Analyzer is not { } analyzer)
                    continue;
                if (Analyzers.Problem(analyzer) is { } problem)
                {
                    _binder.ReportAt(
                        field,
                        "analyzer",
                        $"the analyzer '{analyzer}' cannot be used: {problem}",
                        Spelling.Suggest(analyzer, Analyzers.Names)
                    );
                }
                else if (field.Indexing is FieldIndexing.Exact or FieldIndexing.No)
                {
                    _binder.ReportAt(
                        field,
                        "indexing",
                        "a field with an analyzer is searched by words",
                        "leave 'indexing' out, or write search"
                    );
                }
            }
        }
    }

    private void CheckEncryption(EncryptionConfiguration encryption, ConfigNode node, string baseDirectory)
    {
        if (encryption.Sources != 1 && !_binder.HasOpen(encryption))
        {
            _binder.Report(
                node,
                $"database.encryption must name one source of the key, found {encryption.Sources}",
                "one of: keyFile, keyVariable, keyCommand"
            );
        }

        CheckPath(_binder.FindNode(encryption, "keyFile"), "database.encryption.keyFile", encryption.KeyFile ?? "-");
        if (encryption.KeyFile is { Length: > 0 } file)
            encryption.KeyFile = Path.GetFullPath(file, baseDirectory);
    }

    private void CheckServer(ServerConfiguration server, string baseDirectory)
    {
        // Nothing can be said of an address whose variable is not set here.
        if (_binder.FindNode(server, "url") is not { } url || !_binder.HasFaultAt(url))
            CheckAddress(server);
        if (server.Certificate is { } certificate)
        {
            CheckPath(_binder.FindNode(certificate, "file"), "server.certificate.file", certificate.File);
            if (certificate.File.Length > 0)
                certificate.File = Path.GetFullPath(certificate.File, baseDirectory);
            if (certificate.Key is { Length: > 0 } key)
                certificate.Key = Path.GetFullPath(key, baseDirectory);
        }

        foreach (var client in server.Clients)
        {
            if (
                _binder.FindNode(client, "thumbprint") is not ScalarNode { IsNull: false } thumbprint
                || _binder.HasFaultAt(thumbprint)
            )
            {
                continue;
            }

            if (
                client.Thumbprint.Replace(":", "", StringComparison.Ordinal) is not { Length: 64 } digits
                || !digits.All(char.IsAsciiHexDigit)
            )
            {
                _binder.Report(
                    thumbprint,
                    $"the thumbprint of client '{client.Name}' must have 64 hexadecimal digits (SHA-256), found {client.Thumbprint.Length} characters",
                    "openssl x509 -noout -fingerprint -sha256 -in client.pem"
                );
            }
        }
    }

    private void CheckAddress(ServerConfiguration server)
    {
        var url = server.Url;
        var found = _binder.FindNode(server, "url")?.Describe();
        var isTls = url.Scheme == Uri.UriSchemeHttps;
        if (!isTls && url.Scheme != Uri.UriSchemeHttp)
        {
            _binder.ReportAt(server, "url", $"server.url must begin with http:// or https://, found {found}", null);
        }
        else if (url.HostNameType is not (UriHostNameType.IPv4 or UriHostNameType.IPv6) && url.Host != "localhost")
        {
            // A name would make the server listen on every interface.
            _binder.ReportAt(
                server,
                "url",
                $"server.url must have an IP address or localhost as its host, found {found}",
                "0.0.0.0 listens on every interface"
            );
        }
        else if (url.PathAndQuery != "/")
        {
            _binder.ReportAt(
                server,
                "url",
                $"server.url ends with the port, found {found}",
                $"write {url.GetLeftPart(UriPartial.Authority)}"
            );
        }
        else if (isTls && _binder.FindNode(server, "certificate") is null)
        {
            _binder.ReportAt(
                server,
                "url",
                $"server.url is {found}, and there is no certificate",
                "add server.certificate: { file: server.pfx, password: ${PFX_PASSWORD} }"
            );
        }
        else if (!isTls && server.Certificate is not null)
        {
            _binder.ReportAt(
                server,
                "certificate",
                "server.certificate needs a server.url that begins with https://",
                null
            );
        }
        else if (!isTls && server.Clients.Count > 0)
        {
            _binder.ReportAt(
                server,
                "clients",
                "server.clients are identified by certificates, so server.url must begin with https://",
                null
            );
        }
        else if (
            !url.IsLoopback
            && server.Clients.Count == 0
            && !server.AllowInsecure
            && _binder.FindNode(server, "clients") is not SequenceNode { Items.Count: > 0 }
        )
        {
            _binder.ReportAt(
                server,
                "url",
                $"server.url is {found}, which other machines can reach, and clients would not be authenticated",
                "listen on 127.0.0.1, name the clients under server.clients, or write allowInsecure: true if a firewall or proxy keeps others out"
            );
        }
    }

    private void CheckDestinations(EtlTaskConfiguration task, PipelineConfiguration configuration)
    {
        if (task.DeleteAfterSend && (task.Deletes || task.OnDelete != DeletePolicy.Nothing))
        {
            _binder.ReportAt(
                task,
                "deleteAfterSend",
                "deleteAfterSend and onDelete exclude each other: the task would receive its own deletions",
                "leave one of them out"
            );
        }

        if (task.DeleteAfterSend && task.DependsOn != DependencyPolicy.Nothing)
        {
            _binder.ReportAt(
                task,
                "dependsOn",
                "dependsOn and deleteAfterSend exclude each other: a document that was sent and deleted cannot be sent again",
                "leave one of them out"
            );
        }

        if (task.DependsOn == DependencyPolicy.Load && task.Parallel > 1)
        {
            _binder.ReportAt(
                task,
                "parallel",
                "parallel and 'dependsOn: load' exclude each other: loaded documents are tracked one document at a time",
                "leave one of them out"
            );
        }

        if (configuration.Connections.GetValueOrDefault(task.To) is not { } connection)
            return;
        var known = connection.Definition.DestinationOptions(connection.Options);
        var keys = _binder.FindNode(task, "destinations") as MappingNode;
        foreach ((var name, var destination) in task.Destinations)
        {
            if (connection.FindNameFault(name) is { } fault)
                _binder.Report(keys?.FindKey(name) ?? _binder.NodeOf(task), fault, null);
            foreach (var option in destination.Given.Where(o => !known.Contains(o)))
            {
                _binder.ReportAt(
                    destination,
                    option,
                    $"'{connection.Name}' ({connection.Definition.Kind}) does not support '{option}', which destination '{name}' sets",
                    known.Count == 0 ? "leave it out" : $"it can do: {string.Join(", ", known)}"
                );
            }

            foreach (
                (var option, var message) in connection
                    .Definition.ValidateDestination(destination)
                    .Where(f => known.Contains(f.Key))
            )
            {
                _binder.ReportAt(destination, option, $"destination '{name}': {message}", null);
            }
        }
    }

    private void CheckTasks(PipelineConfiguration configuration)
    {
        // Dead letters' ids, Kafka's transactional ids and file names may ignore case.
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var task in configuration.Etl)
        {
            if (_binder.FindNode(task, "name") is ScalarNode { IsNull: false } name && !_binder.HasFaultAt(name))
            {
                CheckName(name, "a task's name", task.Name);
                if (!lines.TryAdd(task.Name, name.Line))
                {
                    _binder.Report(
                        name,
                        $"the task '{task.Name}' is defined twice, first in line {lines[task.Name]}",
                        "give it another name"
                    );
                }
            }

            if (task.To.Length > 0 && !_connectionNames.Contains(task.To))
            {
                var mend =
                    _connectionNames.Count == 0
                        ? "add it under 'connections'"
                        : Spelling.Suggest(task.To, _connectionNames)!;
                _binder.ReportAt(task, "to", $"there is no connection '{task.To}'", mend);
            }

            CheckFrom(task);
            CheckDestinations(task, configuration);
            if (
                _binder.FindNode(task, "transform") is ScalarNode
                && string.IsNullOrWhiteSpace(task.Transform.Text)
                && task.Transform.File.Length > 0
            )
            {
                ReportEmptyTransform(task);
            }

            if (_binder.FindNode(task, "class") is { } named)
            {
                task.ClassPlace = (configuration.File, named.Line, named.Column);
            }
            else if (_binder.FindNode(task, "transform") is null && task.Name.Length > 0)
            {
                _binder.ReportAt(
                    task,
                    "name",
                    $"the task '{task.Name}' has no transform",
                    "add 'transform' with C# statements that call send(destination, body), or 'class' with the name of a class"
                );
            }

            var testFiles = _binder.FindNode(task, "testFiles") as SequenceNode;
            for (var i = 0; i < task.TestFiles.Count; i++)
                CheckPath(testFiles?.Items.ElementAtOrDefault(i), $"testFiles[{i}]", task.TestFiles[i]);
            new TestCaseCheck(_binder).Check(task);
            if (task.LagPolicy?.Problem() is { } lag)
            {
                _binder.ReportAt(
                    task,
                    task.MaxLag is null ? "then" : "maxLag",
                    lag,
                    task.MaxLag is null ? "add 'maxLag: 7d', or leave 'then' out" : null
                );
            }

            if (task.Batch.MinDocuments > task.Batch.MaxDocuments)
                CheckOrder(task, "batch", task.Batch, "minDocuments", "maxDocuments");
            if (task.Retry.InitialDelay > task.Retry.MaxDelay)
                CheckOrder(task, "retry", task.Retry, "initialDelay", "maxDelay");
        }
    }

    private void ReadTestFiles(
        PipelineConfiguration configuration,
        Func<string, List<Diagnostic>, SettingsBinder> newBinder,
        List<Diagnostic> diagnostics,
        TestFileText? beside
    )
    {
        foreach (var task in configuration.Etl)
        {
            var list = _binder.FindNode(task, "testFiles");
            List<(string Name, ConfigNode Place)> files =
            [
                .. task.TestFiles.Select(
                    (f, i) =>
                        (
                            f,
                            list is SequenceNode items && items.Items.Count == task.TestFiles.Count
                                ? items.Items[i]
                                : list ?? _binder.NodeOf(task)
                        )
                ),
            ];
            if (
                task.Name == beside?.Task
                && !files.Exists(f =>
                    f.Name.Length > 0 && Path.GetFullPath(f.Name, configuration.BaseDirectory) == beside.Path
                )
            )
            {
                files.Add((beside.Path, _binder.NodeOf(task)));
            }

            foreach ((var file, var place) in files)
            {
                var path = Path.GetFullPath(file, configuration.BaseDirectory);
                var isBeside = file.Length > 0 && path == beside?.Path;
                var unread = new List<Diagnostic>();
                if (file.Length > 0 && !isBeside && !ContainedPath.IsWithin(configuration.BaseDirectory, path))
                {
                    // Faults quote the file's text. A stranger's file could otherwise show other files to everyone who
                    // sees its faults.
                    _binder.Report(
                        place,
                        $"the test file '{file}' is outside the folder of this file",
                        "move it into that folder or one beneath"
                    );
                    continue;
                }

                var text =
                    file.Length == 0 ? null
                    : isBeside ? beside!.Text
                    : ConfigurationFile.Read(path, unread);
                if (isBeside && string.IsNullOrWhiteSpace(text))
                    continue;
                if (text is null)
                {
                    _binder.Report(
                        place,
                        file.Length == 0
                            ? "a name in testFiles is empty"
                            : $"the test file '{file}': {unread[0].Message}",
                        "name a file of test cases; a relative path starts at this file's folder"
                    );
                    continue;
                }

                if (YamlNodeReader.Read(path, text, diagnostics) is not { } node)
                    continue;
                var binder = newBinder(path, diagnostics);
                if (binder.BindList<TestCaseConfiguration>(node) is not { } cases)
                    continue;
                new TestCaseCheck(binder).Check(task, cases);
                task.Tests = [.. task.Tests, .. cases];
            }
        }
    }

    private void CheckFrom(EtlTaskConfiguration task)
    {
        if (_binder.FindNode(task, "from") is not SequenceNode from)
        {
            if (_binder.FindNode(task, "from") is ScalarNode { IsNull: true } nothing)
                _binder.Report(nothing, "from names no collection", "name some, or [@all_docs]");
            return;
        }

        if (from.Items.Count == 0)
            _binder.Report(from, "from names no collection", "name some, or [@all_docs]");
        if (task.From.Count > 1 && task.From.Contains(EtlTaskConfiguration.AllDocuments))
        {
            _binder.Report(
                from,
                $"'{EtlTaskConfiguration.AllDocuments}' stands for every collection",
                "name it alone, or name collections only"
            );
        }

        if (task.From.Any(string.IsNullOrWhiteSpace))
            _binder.Report(from, "from has an empty name", "name collections, or [@all_docs]");
        // A dead letter that fails would make the next one, for ever.
        if (task.From.Contains(DeadLetterWriter.Collection, StringComparer.OrdinalIgnoreCase))
        {
            _binder.Report(
                from,
                $"a task cannot read '{DeadLetterWriter.Collection}', because its own failures go there",
                "export that collection instead"
            );
        }

        foreach (
            var name in task.From.Where(n =>
                n.StartsWith('@') && n is not (EtlTaskConfiguration.AllDocuments or Document.EmptyCollection)
            )
        )
        {
            _binder.Report(
                from,
                $"'{name}' is not a collection that a task can read",
                $"name collections, or [{EtlTaskConfiguration.AllDocuments}]"
            );
        }
    }

    private void ReportEmptyTransform(EtlTaskConfiguration task)
    {
        var node = (ScalarNode)_binder.FindNode(task, "transform")!;
        if (!node.IsNull && !node.IsFolded)
        {
            _binder.Report(
                node,
                $"the transform of '{task.Name}' is empty",
                "write C# statements that call send(destination, body)"
            );
        }
    }

    private void CheckOrder(EtlTaskConfiguration task, string block, object options, string low, string high)
    {
        if (_binder.FindNode(task, block) is MappingNode)
            _binder.ReportAt(options, low, $"{block}.{low} is greater than {block}.{high}", null);
    }

    private void CheckName(ConfigNode node, string what, string name)
    {
        if (
            name.Length is > 0 and <= 64
            && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.')
            && name is not ("." or "..")
        )
        {
            return;
        }

        _binder.Report(
            node,
            $"{what} must be of letters, digits, '-', '_' and '.', at most 64, found {node.Describe()}",
            null
        );
    }

    private void CheckPath(ConfigNode? node, string what, string path)
    {
        if (node is not ScalarNode { IsNull: false } || path.Length > 0 || _binder.HasFaultAt(node))
            return;
        _binder.Report(node, $"{what} is empty", "name a path");
    }
}
