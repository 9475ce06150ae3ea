using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>
/// docs/reference/configuration.md and the schema match the settings. With PIPELINE_UPDATE_DOCS=1 the test writes it
/// instead.
/// </summary>
public sealed class ReferencePageTests
{
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
        var path = Path.Combine(RepositoryTree.Root, "etl", "pipeline.schema.json");
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
}
