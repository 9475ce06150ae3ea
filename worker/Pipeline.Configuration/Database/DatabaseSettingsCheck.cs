using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks what types alone cannot express about <c>database</c>.</summary>
internal sealed class DatabaseSettingsCheck(SettingsBinder binder)
{
    /// <summary>Checks the section and makes its paths absolute.</summary>
    public void Check(DatabaseConfiguration database, string baseDirectory)
    {
        if (binder.FindNode(database, "name") is ScalarNode { IsNull: false } name && !binder.HasFaultAt(name))
            binder.CheckName(name, "database.name", database.Name);
        binder.CheckPath(binder.FindNode(database, "path"), "database.path", database.Path);
        if (database.Path.Length > 0)
            database.Path = Path.GetFullPath(database.Path, baseDirectory);
        binder.CheckPath(binder.FindNode(database, "journalPath"), "database.journalPath", database.JournalPath);
        if (database.JournalPath.Length > 0)
            database.JournalPath = Path.GetFullPath(database.JournalPath, baseDirectory);
        if (database.Encryption is { } encryption)
        {
            EncryptionCheck.Check(
                binder,
                encryption,
                binder.FindNode(database, "encryption")!,
                "database.encryption",
                baseDirectory
            );
        }
        if (database.Revisions is { } revisions)
            CheckRevisions(revisions);
    }

    private void CheckRevisions(RevisionsConfiguration revisions)
    {
        if (binder.FindNode(revisions, "collections") is not MappingNode collections)
            return;
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach ((var key, _) in collections.Entries)
        {
            if (!lines.TryAdd(key.Raw, key.Line))
            {
                binder.Report(
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
                binder.Report(
                    key,
                    "a collection's name must have 1 to 256 bytes of UTF-8 and no control characters",
                    null
                );
            }
        }
    }
}
