using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks a block <c>encryption</c>, and makes its path absolute.</summary>
internal static class EncryptionCheck
{
    /// <summary>Checks that exactly one source of the key is named.</summary>
    /// <param name="binder">Takes the faults.</param>
    /// <param name="encryption">The block.</param>
    /// <param name="node">Where it is.</param>
    /// <param name="what">What faults call it.</param>
    /// <param name="baseDirectory">The file's folder.</param>
    public static void Check(
        SettingsBinder binder,
        EncryptionConfiguration encryption,
        ConfigNode node,
        string what,
        string baseDirectory
    )
    {
        if (encryption.Sources != 1 && !binder.HasOpen(encryption))
        {
            binder.Report(
                node,
                $"{what} must name one source of the key, found {encryption.Sources}",
                "one of: keyFile, keyVariable, keyCommand"
            );
        }
        binder.CheckPath(binder.FindNode(encryption, "keyFile"), $"{what}.keyFile", encryption.KeyFile ?? "-");
        if (encryption.KeyFile is { Length: > 0 } file)
            encryption.KeyFile = Path.GetFullPath(file, baseDirectory);
    }
}
