using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Yaml;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Settings;

namespace Pipeline.Configuration;

/// <summary>
/// The JSON Schema (draft-07) of <c>pipeline.yaml</c>, made from the <see cref="SettingAttribute"/>s, so that editors
/// complete and check the file.
/// </summary>
/// <remarks>It accepts every file that has no fault, and rejects unknown, missing and conflicting keys, wrong types,
/// numbers out of bounds and unknown kinds of connectors. A value that holds a variable, or stands in quotes, is
/// accepted wherever a single value may stand. Names that refer to each other, scripts, paths, and the bounds of
/// durations and of sizes with a unit are for lint.</remarks>
public static class ConfigurationSchema
{
    private const string Duration = @"^([0-9]*\.?[0-9]+(ms|s|m|h|d))+$";
    private const string Variable = "#/definitions/variable";

    private static readonly JsonSerializerOptions Written = new()
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>The schema, indented, its lines ended with line feeds; the same for the same catalogue.</summary>
    public static string ToJson(ConnectorCatalog catalog)
    {
        var schema = OfClass(typeof(PipelineConfiguration), catalog);
        schema["type"] = "object";
        schema["properties"]!["version"] = new JsonObject
        {
            ["description"] = "Version of this file's format: 1.",
            ["anyOf"] = new JsonArray(
                new JsonObject
                {
                    ["enum"] = new JsonArray(
                        PipelineConfiguration.SupportedVersion,
                        PipelineConfiguration.SupportedVersion.ToString(CultureInfo.InvariantCulture)
                    ),
                },
                new JsonObject { ["$ref"] = Variable }
            ),
        };
        schema.Insert(0, "$schema", "http://json-schema.org/draft-07/schema#");
        schema.Insert(1, "title", "pipeline.yaml");
        schema["definitions"] = new JsonObject
        {
            ["variable"] = new JsonObject { ["type"] = "string", ["pattern"] = @"\$\{" },
            ["connection"] = OfConnection(catalog),
        };
        return schema.ToJsonString(Written) + "\n";
    }

    private static JsonObject OfConnection(ConnectorCatalog catalog)
    {
        var kinds = new JsonObject();
        foreach (var definition in catalog.Definitions)
        {
            var options = OfClass(definition.OptionsType, catalog);
            options.Insert(0, "description", definition.Summary);
            kinds[definition.Kind] = options;
        }

        return new JsonObject
        {
            ["type"] = "object",
            ["minProperties"] = 1,
            ["maxProperties"] = 1,
            ["additionalProperties"] = false,
            ["properties"] = kinds,
        };
    }

    private static JsonObject OfClass(Type type, ConnectorCatalog catalog)
    {
        var defaults = Activator.CreateInstance(type)!;
        var properties = new JsonObject();
        var required = new JsonArray();
        var conflicts = new JsonArray();
        foreach (var setting in SettingsType.Of(type).Properties)
        {
            properties[setting.Key] = OfSetting(setting, setting.Property.GetValue(defaults), catalog);
            if (setting.Attribute.Required)
                required.Add(setting.Key);
            foreach (
                var other in setting.Attribute.ConflictsWith.Where(o =>
                    string.CompareOrdinal(setting.Key, o) < 0 || !Names(type, o, setting.Key)
                )
            )
            {
                conflicts.Add(
                    new JsonObject { ["not"] = new JsonObject { ["required"] = new JsonArray(setting.Key, other) } }
                );
            }
        }

        var schema = new JsonObject
        {
            ["type"] = required.Count > 0 ? "object" : new JsonArray("object", "null"),
            ["additionalProperties"] = false,
            ["properties"] = properties,
        };
        if (required.Count > 0)
            schema["required"] = required;
        if (conflicts.Count > 0)
            schema["allOf"] = conflicts;
        return schema;
    }

    private static bool Names(Type type, string key, string other) =>
        SettingsType.Of(type).Find(key)?.Attribute.ConflictsWith.Contains(other) == true;

    private static JsonObject OfSetting(SettingProperty setting, object? value, ConnectorCatalog catalog)
    {
        var schema = OfType(setting, setting.Type, catalog);
        var attribute = setting.Attribute;
        schema.Insert(0, "description", attribute.Secret ? attribute.Help + " Secret: never printed." : attribute.Help);
        if (!attribute.Required && !attribute.Secret && Default(setting, value) is { } given)
            schema["default"] = given;
        if (attribute.Example is { } example)
            schema["examples"] = new JsonArray(example);
        if (attribute.Deprecated is { } instead)
        {
            schema["deprecated"] = true;
            schema["deprecationMessage"] = instead;
        }

        return schema;
    }

    private static JsonObject OfType(SettingProperty setting, Type type, ConnectorCatalog catalog)
    {
        if (type == typeof(ConnectionConfiguration))
            return new JsonObject { ["$ref"] = "#/definitions/connection" };
        if (SettingsBinder.ItemType(type) is { } one && setting.Attribute.AllowsSingle)
        {
            return new JsonObject
            {
                ["anyOf"] = new JsonArray(
                    OfType(setting, one, catalog),
                    new JsonObject { ["type"] = "array", ["items"] = OfType(setting, one, catalog) }
                ),
            };
        }

        if (SettingsBinder.ItemType(type) is { } several && setting.Attribute.Required)
        {
            return new JsonObject
            {
                ["type"] = "array",
                ["minItems"] = 1,
                ["items"] = OfType(setting, several, catalog),
            };
        }

        if (SettingsBinder.ItemType(type) is { } item)
        {
            return new JsonObject
            {
                ["type"] = new JsonArray("array", "null"),
                ["items"] = OfType(setting, item, catalog),
            };
        }

        if (SettingsBinder.ValueType(type) is { } value)
        {
            return new JsonObject
            {
                ["type"] = new JsonArray("object", "null"),
                ["additionalProperties"] = OfType(setting, value, catalog),
            };
        }

        if (type == typeof(YamlValue))
            return [];
        if (type == typeof(ScriptText))
            return new JsonObject { ["type"] = "string" };
        if (type == typeof(string))
            return new JsonObject { ["type"] = new JsonArray("string", "number", "boolean") };
        if (type == typeof(LagConfiguration))
        {
            return new JsonObject
            {
                ["anyOf"] = new JsonArray(
                    OfClass(type, catalog),
                    Text(Duration),
                    new JsonObject { ["$ref"] = Variable }
                ),
            };
        }

        if (!SettingsBinder.IsScalar(type))
            return OfClass(type, catalog);
        return new JsonObject
        {
            ["anyOf"] = new JsonArray([.. OfScalar(setting, type), new JsonObject { ["$ref"] = Variable }]),
        };
    }

    private static IEnumerable<JsonNode> OfScalar(SettingProperty setting, Type type)
    {
        if (type == typeof(bool))
            return [new JsonObject { ["type"] = "boolean" }, Text("^(true|false)$")];
        if (type == typeof(TimeSpan))
            return [Text(Duration)];
        if (type == typeof(Uri))
            return [Text("^[A-Za-z][A-Za-z0-9+.-]*:")];
        if (type.IsEnum)
            return [new JsonObject { ["enum"] = new JsonArray([.. EnumText.Of(type).Select(n => (JsonNode)n!)]) }];
        var number = new JsonObject { ["type"] = type == typeof(double) ? "number" : "integer" };
        if (double.IsFinite(setting.Attribute.Minimum))
            number["minimum"] = (decimal)setting.Attribute.Minimum;
        if (double.IsFinite(setting.Attribute.Maximum))
            number["maximum"] = (decimal)setting.Attribute.Maximum;
        return setting.IsByteSize
            ? [number, Text(@"^[0-9]+(\.[0-9]+)? *([Kk][Ii][Bb]|[Mm][Ii][Bb]|[Gg][Ii][Bb]|[KkMmGg]?[Bb])?$")]
            : [number, Text(type == typeof(double) ? @"^-?[0-9]*\.?[0-9]+$" : "^-?[0-9]+$")];
    }

    private static JsonObject Text(string pattern) => new() { ["type"] = "string", ["pattern"] = pattern };

    private static JsonNode? Default(SettingProperty setting, object? value) =>
        value switch
        {
            bool b => b,
            TimeSpan t => Quantities.FormatDuration(t),
            Enum e => EnumText.Of(e.GetType(), e.ToString()),
            Uri u => u.OriginalString,
            int or long when setting.IsByteSize => Quantities.FormatBytes(
                Convert.ToInt64(value, CultureInfo.InvariantCulture)
            ),
            int i => i,
            long l => l,
            double d => d,
            string { Length: > 0 } s => s,
            _ => null,
        };
}
