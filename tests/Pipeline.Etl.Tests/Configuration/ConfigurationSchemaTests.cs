using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.EtlKit.Configuration;
using Pipeline.Yaml.Settings;
using Xunit;

namespace Pipeline.Etl.Tests.Configuration;

/// <summary>The schema for editors tells each setting of a connector.</summary>
public sealed class ConfigurationSchemaTests
{
    private static readonly JsonSerializerOptions Relaxed = new()
    {
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    [Fact]
    public void The_schema_says_what_the_settings_say()
    {
        using var schema = JsonDocument.Parse(ConfigurationSchema.ToJson(ProbeDefinition.Catalog));
        var probe = schema
            .RootElement.GetProperty("definitions")
            .GetProperty("connection")
            .GetProperty("properties")
            .GetProperty("probe");
        Assert.Equal("""["name"]""", JsonSerializer.Serialize(probe.GetProperty("required")));
        Assert.Equal(
            """{"description":"Count.","anyOf":[{"type":"integer","minimum":1,"maximum":10},{"type":"string","pattern":"^-?[0-9]+$"},{"$ref":"#/definitions/variable"}],"default":1}""",
            Text("count")
        );
        Assert.Equal(
            """{"description":"Mode.","anyOf":[{"enum":["slow","fullSpeed"]},{"$ref":"#/definitions/variable"}],"default":"slow"}""",
            Text("mode")
        );
        Assert.Equal(
            """{"description":"Password. Secret: never printed.","type":["string","number","boolean"]}""",
            Text("password")
        );
        Assert.Equal(
            """{"description":"List.","type":["array","null"],"items":{"type":["string","number","boolean"]},"examples":["[a, b]"]}""",
            Text("list")
        );
        Assert.Contains(
            "\"deprecated\":true,\"deprecationMessage\":\"write 'count'\"",
            Text("width"),
            StringComparison.Ordinal
        );
        Assert.Equal(
            """[{"not":{"required":["dense","sparse"]}}]""",
            JsonSerializer.Serialize(probe.GetProperty("allOf"))
        );
        string Text(string key) => JsonSerializer.Serialize(probe.GetProperty("properties").GetProperty(key), Relaxed);
    }

    [Fact]
    public void Every_setting_of_every_connector_has_help_that_is_a_sentence()
    {
        foreach (var definition in ConnectorCatalog.BuiltIn.Definitions)
        {
            Assert.NotEmpty(definition.Summary);
            Assert.All(
                SettingsType.Of(definition.OptionsType).Properties,
                p => Assert.EndsWith(".", p.Attribute.Help, StringComparison.Ordinal)
            );
        }
    }
}
