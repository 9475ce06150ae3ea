using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Indexing;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>Index definitions in the clients' form.</summary>
internal static class IndexWire
{
    /// <summary>The state's name.</summary>
    public static string State(IndexState state) => state == IndexState.Paused ? "Normal" : state.ToString();

    /// <summary>The running status's name.</summary>
    public static string Status(IndexState state) =>
        state switch
        {
            IndexState.Paused => "Paused",
            IndexState.Disabled => "Disabled",
            _ => "Running",
        };

    /// <summary>The lock mode's name.</summary>
    public static string LockMode(IndexLockMode mode) => mode.ToString();

    /// <summary>The kind of index.</summary>
    public static string Type(IndexDefinition definition) =>
        definition switch
        {
            { Auto: not null } => definition.Name.Contains("/By", StringComparison.Ordinal)
            && definition.Name.Contains("Reduced", StringComparison.Ordinal)
                ? "AutoMapReduce"
                : "AutoMap",
            { Reduce: not null } => "MapReduce",
            _ => "Map",
        };

    /// <summary>Parses a definition.</summary>
    /// <exception cref="BadRequestException">The definition is invalid.</exception>
    public static IndexDefinition Read(JsonElement json)
    {
        if (json.ValueKind != JsonValueKind.Object || Text(json, "Name") is not { Length: > 0 } name)
            throw new BadRequestException("an index definition is an object with a 'Name'");
        if (!json.TryGetProperty("Maps", out var maps) || maps.ValueKind != JsonValueKind.Array)
            throw new BadRequestException($"the index '{name}' has no list 'Maps'");
        var texts = maps.EnumerateArray().Select(m => m.GetString() ?? "").ToList();
        if (
            json.TryGetProperty("AdditionalSources", out var sources)
            && sources.ValueKind == JsonValueKind.Object
            && sources.EnumerateObject().Any()
        )
        {
            // The functions of a JavaScript index become part of its map's text.
            if (!new IndexDefinition { Name = name, Maps = texts }.IsJavaScript)
            {
                throw new UnsupportedException(
                    $"'AdditionalSources' of the index '{name}'",
                    "write their functions into the map"
                );
            }

            texts[0] = string.Join('\n', sources.EnumerateObject().Select(s => s.Value.GetString()).Append(texts[0]));
        }
        if (Text(json, "OutputReduceToCollection") is { Length: > 0 } target)
        {
            throw new UnsupportedException(
                $"documents in the collection '{target}' made by the index '{name}'",
                "query the index itself"
            );
        }

        return new IndexDefinition
        {
            Name = name,
            Maps = texts,
            Reduce = Text(json, "Reduce") is { Length: > 0 } reduce ? reduce : null,
            Fields =
                json.TryGetProperty("Fields", out var fields) && fields.ValueKind == JsonValueKind.Object
                    ? fields.EnumerateObject().ToDictionary(f => f.Name, f => ReadField(f.Value))
                    : [],
            LockMode = Enum.TryParse<IndexLockMode>(Text(json, "LockMode"), out var mode) ? mode : IndexLockMode.Unlock,
            Priority = Enum.TryParse<IndexPriority>(Text(json, "Priority"), out var priority)
                ? priority
                : IndexPriority.Normal,
        };
    }

    /// <summary>Writes a definition.</summary>
    public static void Write(Utf8JsonWriter json, IndexInfo index)
    {
        var definition = index.Definition;
        json.WriteStartObject();
        json.WriteString("Name", definition.Name);
        json.WriteStartArray("Maps");
        foreach (var map in definition.Maps)
            json.WriteStringValue(map);
        json.WriteEndArray();
        json.WriteString("Reduce", definition.Reduce);
        json.WriteStartObject("Fields");
        foreach (var (name, field) in definition.Fields)
            WriteField(json, name, field);
        json.WriteEndObject();
        json.WriteString("LockMode", LockMode(definition.LockMode));
        json.WriteString("Priority", definition.Priority.ToString());
        json.WriteString("State", State(index.State));
        json.WriteString("Type", Type(definition));
        json.WriteString("SourceType", "Documents");
        json.WriteStartObject("Configuration");
        json.WriteEndObject();
        json.WriteStartObject("AdditionalSources");
        json.WriteEndObject();
        json.WriteStartArray("AdditionalAssemblies");
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes the definition of an index that a query created.</summary>
    public static void WriteAuto(Utf8JsonWriter json, IndexInfo index)
    {
        var auto =
            index.Definition.Auto ?? throw new ArgumentException("queries have not made this index", nameof(index));
        json.WriteStartObject();
        json.WriteString("Name", index.Name);
        json.WriteString("Type", Type(index.Definition));
        json.WriteString("Priority", index.Definition.Priority.ToString());
        json.WriteString("State", State(index.State));
        json.WriteString("Collection", auto.Collection ?? "@all_docs");
        json.WriteStartObject("MapFields");
        foreach (var field in auto.Fields)
            WriteAutoField(json, field.Path, field.Usage, "None", "NotApplicable");
        foreach (var aggregate in auto.Aggregates)
        {
            WriteAutoField(
                json,
                aggregate.Path ?? aggregate.Name,
                AutoFieldUsage.Compare,
                aggregate.Path is null ? "Count" : "Sum",
                "NotApplicable"
            );
        }

        json.WriteEndObject();
        json.WriteStartObject("GroupByFields");
        foreach (var key in auto.GroupBy)
        {
            WriteAutoField(
                json,
                key.Path,
                AutoFieldUsage.Compare,
                "None",
                key.IsWholeArray ? "ByContent"
                    : key.Path.Contains("[]", StringComparison.Ordinal) ? "ByIndividualValues"
                    : "NotApplicable"
            );
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WriteAutoField(
        Utf8JsonWriter json,
        string name,
        AutoFieldUsage usage,
        string aggregation,
        string arrays
    )
    {
        json.WriteStartObject(name);
        json.WriteString("Storage", "No");
        json.WriteString(
            "Indexing",
            (usage & AutoFieldUsage.Search) != 0 ? "Search"
                : (usage & AutoFieldUsage.Exact) != 0 ? "Exact"
                : "Default"
        );
        json.WriteString("Aggregation", aggregation);
        json.WriteNull("Spatial");
        json.WriteString("GroupByArrayBehavior", arrays);
        json.WriteBoolean("Suggestions", false);
        json.WriteBoolean("IsNameQuoted", false);
        json.WriteEndObject();
    }

    private static IndexFieldDefinition ReadField(JsonElement json) =>
        new()
        {
            Indexing = Text(json, "Indexing") switch
            {
                "Search" => TermForm.Search,
                "Exact" => TermForm.Exact,
                "No" => TermForm.No,
                _ => null,
            },
            Analyzer = Text(json, "Analyzer") is { Length: > 0 } analyzer ? Analyzer(analyzer) : null,
            Stored = Text(json, "Storage") == "Yes",
            Suggestions =
                json.TryGetProperty("Suggestions", out var suggestions) && suggestions.ValueKind == JsonValueKind.True,
            TermVector = Text(json, "TermVector"),
        };

    /// <summary>Maps the clients' analyzer names to Lucene's analyzers.</summary>
    private static string Analyzer(string name) =>
        name.Split('.')[^1] switch
        {
            "StandardAnalyzer" => "standard",
            "SimpleAnalyzer" => "simple",
            "WhitespaceAnalyzer" => "whitespace",
            "KeywordAnalyzer" => "keyword",
            "StopAnalyzer" => "stop",
            "NGramAnalyzer" => "ngram",
            _ => name,
        };

    private static void WriteField(Utf8JsonWriter json, string name, IndexFieldDefinition field)
    {
        json.WriteStartObject(name);
        json.WriteString("Indexing", field.Indexing?.ToString());
        json.WriteString("Analyzer", field.Analyzer);
        json.WriteString("Storage", field.Stored ? "Yes" : "No");
        json.WriteBoolean("Suggestions", field.Suggestions);
        json.WriteString("TermVector", field.TermVector);
        json.WriteEndObject();
    }

    private static string? Text(JsonElement json, string name) =>
        json.ValueKind == JsonValueKind.Object
        && json.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;
}
