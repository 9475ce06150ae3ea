using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>
/// The values of a file that a test's server does not use: where it listens, keeps its data, sends and backs up to.
/// </summary>
internal static class UnusedSettings
{
    private static readonly string[] Sections = ["connections", "server", "backups", "cluster", "secrets"];
    private static readonly string[] OfDatabase = ["path", "journalPath", "encryption"];

    /// <summary>The scalars of these settings.</summary>
    public static IReadOnlySet<ConfigNode> Find(ConfigNode root)
    {
        var found = new HashSet<ConfigNode>(ReferenceEqualityComparer.Instance);
        if (root is not MappingNode file)
            return found;
        foreach (var section in Sections)
            Add(file.Find(section), found);
        foreach (var setting in OfDatabase)
            Add((file.Find("database") as MappingNode)?.Find(setting), found);
        return found;
    }

    private static void Add(ConfigNode? node, HashSet<ConfigNode> found)
    {
        switch (node)
        {
            case ScalarNode scalar:
                found.Add(scalar);
                break;
            case SequenceNode sequence:
                foreach (var item in sequence.Items)
                    Add(item, found);
                break;
            case MappingNode mapping:
                foreach ((_, var value) in mapping.Entries)
                    Add(value, found);
                break;
        }
    }
}
