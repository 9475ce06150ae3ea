using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Database.Indexes;
using Pipeline.Server.Databases;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// Database records in the clients' form: the stored settings, completed with the database's own facts.
/// </summary>
internal static class DatabaseRecordWire
{
    /// <summary>Serializes the record for clients.</summary>
    public static byte[] ToBytes(ServedDatabase database)
    {
        var record = database.Record.Copy();
        record["DatabaseName"] = database.Name;
        record["Etag"] = database.Record.ETag;
        record["Disabled"] = database.Record.IsDisabled;
        record["LockMode"] = database.Record.LockMode;
        record["DatabaseState"] = "Normal";
        ExpirationWire.Write(record, database.Database.Expiration.Configuration);
        if (record["Settings"] is not JsonObject)
            record["Settings"] = new JsonObject();
        record["Topology"] = new JsonObject
        {
            ["Members"] = new JsonArray("A"),
            ["Promotables"] = new JsonArray(),
            ["Rehabs"] = new JsonArray(),
            ["ReplicationFactor"] = 1,
            ["DynamicNodesDistribution"] = false,
        };
        var indexes = database.Database.Indexes.List();
        record["Indexes"] = Definitions(indexes.Where(i => i.Definition.Auto is null), IndexWire.Write);
        record["AutoIndexes"] = Definitions(indexes.Where(i => i.Definition.Auto is not null), IndexWire.WriteAuto);
        return JsonSerializer.SerializeToUtf8Bytes(record);
    }

    private static JsonObject Definitions(IEnumerable<IndexInfo> indexes, Action<Utf8JsonWriter, IndexInfo> write)
    {
        var definitions = new JsonObject();
        foreach (var index in indexes)
        {
            using var text = new MemoryStream();
            using (var json = new Utf8JsonWriter(text))
                write(json, index);
            definitions[index.Name] = JsonNode.Parse(text.GetBuffer().AsSpan(0, (int)text.Length));
        }
        return definitions;
    }
}
