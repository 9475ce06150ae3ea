using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks that several sections share.</summary>
internal static class SettingChecks
{
    /// <summary>Reports a name that cannot be part of ids and file names.</summary>
    /// <returns>Whether the name is good.</returns>
    public static bool CheckName(this SettingsBinder binder, ConfigNode node, string what, string name)
    {
        if (
            name.Length is > 0 and <= 64
            && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.')
            && name is not ("." or "..")
        )
        {
            return true;
        }

        binder.Report(
            node,
            $"{what} must be of letters, digits, '-', '_' and '.', at most 64, found {node.Describe()}",
            null
        );
        return false;
    }

    /// <summary>Reports a name that an earlier object of its section has.</summary>
    /// <param name="binder">Takes the fault.</param>
    /// <param name="lines">The names so far with their lines.</param>
    /// <param name="node">Where the name is.</param>
    /// <param name="what">The kind of object, such as <c>the task</c>.</param>
    /// <param name="name">The name.</param>
    public static void CheckUnique(
        this SettingsBinder binder,
        Dictionary<string, int> lines,
        ConfigNode node,
        string what,
        string name
    )
    {
        if (!lines.TryAdd(name, node.Line))
        {
            binder.Report(
                node,
                $"{what} '{name}' is defined twice, first in line {lines[name]}",
                "give it another name"
            );
        }
    }

    /// <summary>Reports a path that is empty.</summary>
    public static void CheckPath(this SettingsBinder binder, ConfigNode? node, string what, string path)
    {
        if (node is not ScalarNode { IsNull: false } || path.Length > 0 || binder.HasFaultAt(node))
            return;
        binder.Report(node, $"{what} is empty", "name a path");
    }
}
