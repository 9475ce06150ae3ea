using Pipeline.AzureStorage;
using Pipeline.Backups;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;
using TimeZoneConverter;

namespace Pipeline.Configuration;

/// <summary>What types alone cannot show of <c>backups</c>.</summary>
internal sealed class BackupCheck(SettingsBinder binder)
{
    /// <summary>Checks the section and makes its paths absolute.</summary>
    /// <param name="backups">The section.</param>
    /// <param name="baseDirectory">The file's folder.</param>
    /// <param name="isEncrypted">Whether the database is encrypted.</param>
    /// <param name="isNode">Whether the worker is a node of a cluster.</param>
    public void Check(IReadOnlyList<BackupConfiguration> backups, string baseDirectory, bool isEncrypted, bool isNode)
    {
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var backup in backups)
        {
            if (binder.FindNode(backup, "name") is ScalarNode { IsNull: false } name && !binder.HasFaultAt(name))
            {
                if (binder.CheckName(name, "a backup's name", backup.Name))
                    binder.CheckUnique(lines, name, "the backup", backup.Name);
            }

            if (binder.FindNode(backup, "to") is SequenceNode { Items.Count: 0 } none)
                binder.Report(none, "a backup needs a destination", "one of: folder, s3, azureBlob");
            foreach (var to in backup.To)
                CheckDestination(to, baseDirectory);
            if (backup.StagingFolder is { Length: > 0 } staging)
                backup.StagingFolder = Path.GetFullPath(staging, baseDirectory);
            else if (backup.StagingFolder is not null)
                binder.ReportAt(backup, "stagingFolder", "stagingFolder is empty", "name a path");
            CheckNode(backup, isNode);
            CheckTimes(backup);
            CheckEncryption(backup, baseDirectory, isEncrypted);
        }
    }

    private void CheckNode(BackupConfiguration backup, bool isNode)
    {
        if (binder.FindNode(backup, "node") is not ScalarNode node || binder.HasFaultAt(node))
            return;
        if (isNode)
            binder.CheckName(node, "a node's name", backup.Node);
        else
            binder.Report(node, "node has no effect without the section 'cluster'", "leave it out");
    }

    private void CheckDestination(BackupDestinationConfiguration to, string baseDirectory)
    {
        if (binder.HasOpen(to))
            return;
        if (to.Kinds == 0)
            binder.Report(binder.NodeOf(to), "a destination must name one place", "one of: folder, s3, azureBlob");
        if (to.Folder is { Length: > 0 } folder)
            to.Folder = Path.GetFullPath(folder, baseDirectory);
        else if (to.Folder is not null)
            binder.ReportAt(to, "folder", "folder is empty", "name a path");
        if (to.S3 is { } s3 && !binder.HasOpen(s3) && s3.AccessKey is null != s3.SecretKey is null)
            binder.ReportAt(s3, "accessKey", "accessKey and secretKey go together", "give both, or neither");
        if (to.AzureBlob is { } blob && !binder.HasOpen(blob))
            CheckAzureBlob(blob);
    }

    private void CheckAzureBlob(AzureBlobDestinationConfiguration blob)
    {
        if (blob.ConnectionString is { } text)
        {
            if (AzureConnectionString.FindFault(text, AzureConnectionString.Blob) is { } fault)
                binder.ReportAt(blob, "connectionString", $"the connection string {fault}", null);
        }
        else if (blob.Endpoint is not { } endpoint)
        {
            binder.ReportAt(blob, "connectionString", "azureBlob needs a connectionString or an endpoint", null);
        }
        else if (AzureStorageAccess.FindAddressFault(endpoint, AzureConnectionString.Blob) is { } fault)
        {
            binder.ReportAt(blob, "endpoint", $"the endpoint {fault}", null);
        }
    }

    private void CheckTimes(BackupConfiguration backup)
    {
        foreach (
            (var key, var text) in new[]
            {
                ("full", backup.Full),
                ("incremental", backup.Incremental),
                ("drill", backup.Drill),
            }
        )
        {
            if (text is null || binder.FindNode(backup, key) is not { } node || binder.HasFaultAt(node))
                continue;
            if (CronText.Problem(text) is { } problem)
            {
                binder.Report(
                    node,
                    $"'{text}' is not a cron expression: {problem}",
                    "seconds, minutes, hours, day of month, month, day of week: 0 0 3 * * ?"
                );
            }
        }

        if (!TZConvert.TryGetTimeZoneInfo(backup.TimeZone, out _))
        {
            binder.ReportAt(
                backup,
                "timeZone",
                $"there is no time zone '{backup.TimeZone}'",
                "names are those of the IANA database, such as Europe/Berlin, or those of Windows"
            );
        }

        foreach (var window in backup.Blackouts)
        {
            if (!BackupConfiguration.TryParseBlackout(window, out _))
                binder.ReportAt(backup, "blackouts", $"'{window}' is not a time of the day", "write it as 08:00-18:00");
        }
    }

    private void CheckEncryption(BackupConfiguration backup, string baseDirectory, bool isEncrypted)
    {
        if (backup.Encryption is { } encryption)
        {
            EncryptionCheck.Check(
                binder,
                encryption,
                binder.FindNode(backup, "encryption")!,
                "encryption",
                baseDirectory
            );
        }
        else if (isEncrypted && !backup.Plain)
        {
            binder.Report(
                binder.NodeOf(backup),
                $"the database is encrypted and the backup '{backup.Name}' is not, so anyone with its files can read the data",
                "name a key under 'encryption', or accept that with 'plain: true'"
            );
        }
    }
}
