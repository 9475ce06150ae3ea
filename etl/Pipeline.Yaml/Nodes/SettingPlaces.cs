using System.Globalization;

namespace Pipeline.Yaml.Nodes;

/// <summary>Finds settings in a file by their paths, such as <c>backups[0].to</c>. Stateless.</summary>
internal static class SettingPlaces
{
    /// <summary>
    /// The node of a path, or of the nearest setting around it that the file has; null where the file has none of them.
    /// </summary>
    /// <param name="root">The file.</param>
    /// <param name="path">The path.</param>
    /// <param name="isExact">Whether only the setting itself counts.</param>
    public static ConfigNode? Find(ConfigNode root, string path, bool isExact)
    {
        ConfigNode? found = null,
            node = root;
        foreach (var part in path.Replace("[", ".[", StringComparison.Ordinal).Split('.'))
        {
            node =
                part.StartsWith('[')
                && int.TryParse(
                    part.AsSpan(1, part.Length - 2),
                    NumberStyles.None,
                    CultureInfo.InvariantCulture,
                    out var index
                )
                    ? (node as SequenceNode)?.Items.ElementAtOrDefault(index)
                    : (node as MappingNode)?.Find(part);
            if (node is null)
                return isExact ? null : found;
            found = node;
        }

        return found;
    }
}
