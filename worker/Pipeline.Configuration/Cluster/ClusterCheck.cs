using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks the rules of <c>cluster</c> that types cannot express, and refuses settings that do not work with it.</summary>
internal sealed class ClusterCheck(SettingsBinder binder)
{
    /// <summary>Checks the section and makes its paths absolute.</summary>
    /// <param name="cluster">The section.</param>
    /// <param name="database">The section <c>database</c>.</param>
    /// <param name="server">The section <c>server</c>.</param>
    /// <param name="baseDirectory">The file's folder.</param>
    public void Check(
        ClusterConfiguration cluster,
        DatabaseConfiguration database,
        ServerConfiguration server,
        string baseDirectory
    )
    {
        CheckName(cluster, "name", "cluster.name", cluster.Name);
        CheckName(cluster, "node", "cluster.node", cluster.Node);
        if (binder.FindNode(cluster, "url") is { } url && !binder.HasFaultAt(url))
            CheckUrl(cluster, server);
        if (binder.FindNode(cluster, "log") is MappingNode)
            CheckLog(cluster, baseDirectory);
        CheckCertificates(cluster, server);
        if (cluster.Log.Encryption is { } encryption)
        {
            EncryptionCheck.Check(
                binder,
                encryption,
                binder.FindNode(cluster.Log, "encryption")!,
                "cluster.log.encryption",
                baseDirectory
            );
        }
        else if (database.Encryption is not null && binder.FindNode(cluster, "log") is MappingNode log)
        {
            binder.Report(
                log,
                "database.encryption needs cluster.log.encryption: the records of the log hold the documents",
                "add 'encryption' with a key that all nodes share"
            );
        }
    }

    private void CheckName(ClusterConfiguration cluster, string key, string what, string name)
    {
        if (binder.FindNode(cluster, key) is ScalarNode { IsNull: false } node && !binder.HasFaultAt(node))
            binder.CheckName(node, what, name);
    }

    private void CheckUrl(ClusterConfiguration cluster, ServerConfiguration server)
    {
        var url = cluster.Url;
        var found = binder.FindNode(cluster, "url")!.Describe();
        if (url.Scheme != Uri.UriSchemeHttp && url.Scheme != Uri.UriSchemeHttps)
        {
            binder.ReportAt(cluster, "url", $"cluster.url must begin with http:// or https://, found {found}", null);
        }
        else if (url.Scheme != server.Url.Scheme)
        {
            binder.ReportAt(
                cluster,
                "url",
                $"cluster.url is {found}, but server.url begins with {server.Url.Scheme}://",
                $"write {server.Url.Scheme}:// in both"
            );
        }
        else if (url.PathAndQuery != "/")
        {
            binder.ReportAt(
                cluster,
                "url",
                $"cluster.url ends with the port, found {found}",
                $"write {url.GetLeftPart(UriPartial.Authority)}"
            );
        }
        else if (url.Host is "0.0.0.0" or "[::]")
        {
            binder.ReportAt(
                cluster,
                "url",
                $"cluster.url is {found}, which no other machine can call",
                "name this machine's address or host name; server.url says where to listen"
            );
        }
    }

    private void CheckLog(ClusterConfiguration cluster, string baseDirectory)
    {
        var log = cluster.Log;
        if (binder.HasOpen(log))
            return;
        if (log.Kinds == 0 && binder.FindNode(log, "kafka") is null && binder.FindNode(log, "directory") is null)
        {
            binder.ReportAt(cluster, "log", "cluster.log must name one kind of log", "one of: kafka, directory");
        }
        binder.CheckPath(binder.FindNode(log, "directory"), "cluster.log.directory", log.Directory ?? "-");
        if (log.Directory is { Length: > 0 } folder)
            log.Directory = Path.GetFullPath(folder, baseDirectory);
        if (log.Kafka is { } kafka && !binder.HasOpen(kafka))
            CheckKafka(cluster, kafka, baseDirectory);
    }

    private void CheckKafka(ClusterConfiguration cluster, KafkaLogConfiguration kafka, string baseDirectory)
    {
        const string Path = "cluster.log.kafka";
        if (binder.FindNode(kafka, "bootstrapServers") is null)
            return;
        foreach (var (key, message) in kafka.FindFaults())
            binder.ReportAt(kafka, key, $"{Path}.{key}: {message}", null);
        if (!binder.Expander.IsLenient)
        {
            foreach (var (key, message) in kafka.FindMissingFiles(baseDirectory))
                binder.ReportAt(kafka, key, $"{Path}.{key}: {message}", null);
        }
        if (KafkaTopics.FindNameFault(kafka.Topic ?? "pipeline-" + cluster.Name) is { } fault)
            binder.ReportAt(kafka, "topic", $"{Path}.topic: {fault}", null);
    }

    private void CheckCertificates(ClusterConfiguration cluster, ServerConfiguration server)
    {
        if (binder.FindNode(cluster, "certificates") is not SequenceNode { Items.Count: > 0 } list)
            return;
        if (server.Certificate is null)
        {
            binder.Report(
                list,
                "cluster.certificates needs TLS between the nodes",
                "add server.certificate, and begin server.url and cluster.url with https://"
            );
        }
        for (var i = 0; i < list.Items.Count && i < cluster.Certificates.Count; i++)
        {
            var digits = cluster.Certificates[i].Replace(":", "", StringComparison.Ordinal);
            if (binder.HasFaultAt(list.Items[i]) || (digits.Length == 64 && digits.All(char.IsAsciiHexDigit)))
                continue;
            binder.Report(
                list.Items[i],
                $"cluster.certificates[{i}] must have 64 hexadecimal digits (SHA-256), found {cluster.Certificates[i].Length} characters",
                "openssl x509 -noout -fingerprint -sha256 -in node.pem"
            );
        }
    }
}
