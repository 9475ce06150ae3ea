using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks that several sections share.</summary>
internal static class SettingChecks
{
    /// <summary>Reports a name that cannot be part of ids and file names.</summary>
    public static void CheckName(this SettingsBinder binder, ConfigNode node, string what, string name)
    {
        if (
            name.Length is > 0 and <= 64
            && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.')
            && name is not ("." or "..")
        )
        {
            return;
        }

        binder.Report(
            node,
            $"{what} must be of letters, digits, '-', '_' and '.', at most 64, found {node.Describe()}",
            null
        );
    }

    /// <summary>Reports a path that is empty.</summary>
    public static void CheckPath(this SettingsBinder binder, ConfigNode? node, string what, string path)
    {
        if (node is not ScalarNode { IsNull: false } || path.Length > 0 || binder.HasFaultAt(node))
            return;
        binder.Report(node, $"{what} is empty", "name a path");
    }
}
