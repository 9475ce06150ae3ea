using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Tests.Guides.Reference;
using Pipeline.Yaml.Settings;
using Xunit;

namespace Pipeline.Tests.Etl.Configuration;

/// <summary>
/// docs/reference/configuration.md and the schema match the settings. With PIPELINE_UPDATE_DOCS=1 the test writes it
/// instead.
/// </summary>
public sealed class ReferencePageTests
{
    private static readonly JsonSerializerOptions Relaxed = new()
    {
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    [Fact]
    public void The_page_is_up_to_date()
    {
        var page = new ReferencePage("configuration.md", "Configuration keys");
        page.Prose(
            "These are all keys of `pipeline.yaml`. "
                + "A path such as `etl[].batch.maxBytes` names a key of each item of a list. "
                + "[etl/README.md](../../etl/README.md) explains tasks, transforms and messages."
        );
        page.Heading(2, "Keys");
        page.Markdown(ConfigurationReference.ToMarkdown(ConnectorCatalog.BuiltIn));
        page.Check();
    }

    [Fact]
    public void The_schema_that_editors_load_is_up_to_date()
    {
        var path = Path.Combine(FindTop(), "etl", "pipeline.schema.json");
        var expected = ConfigurationSchema.ToJson(ConnectorCatalog.BuiltIn);
        if (Environment.GetEnvironmentVariable("PIPELINE_UPDATE_DOCS") == "1")
        {
            File.WriteAllText(path, expected);
        }
        else
        {
            Assert.True(
                expected == File.ReadAllText(path),
                "etl/pipeline.schema.json is stale: run this test once with PIPELINE_UPDATE_DOCS=1"
            );
        }
    }

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

    private static string FindTop()
    {
        var folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Pipeline.sln")))
            folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException("Pipeline.sln is not above the tests.");
    }
}
