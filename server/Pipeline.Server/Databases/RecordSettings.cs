using System.Text.Json.Nodes;

namespace Pipeline.Server.Databases;

/// <summary>The part of a database record that clients decide.</summary>
internal static class RecordSettings
{
    private static readonly string[] Known =
    [
        "Etag",
        "Topology",
        "Indexes",
        "AutoIndexes",
        "Revisions",
        "Client",
        "Expiration",
        "Refresh",
    ];

    /// <summary>
    /// Copies a client's settings into a record, except for properties that the database itself determines.
    /// </summary>
    public static void Take(JsonObject record, JsonObject? given)
    {
        foreach (var (name, value) in given ?? [])
        {
            if (!Known.Contains(name, StringComparer.OrdinalIgnoreCase))
                record[name] = value?.DeepClone();
        }
    }
}
