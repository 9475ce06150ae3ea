using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Xunit;

namespace Pipeline.Tests.Etl.Configuration;

/// <summary>The reference in etl/README.md is what the settings say. With PIPELINE_UPDATE_DOCS=1 the test writes it instead.</summary>
public sealed class ReferencePageTests
{
    private const string Begin = "<!-- reference: begin -->\n";
    private const string End = "<!-- reference: end -->";

    [Fact]
    public void Etl_readme_is_up_to_date()
    {
        string path = Path.Combine(FindTop(), "etl", "README.md");
        string page = File.ReadAllText(path);
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length, end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.True(begin >= Begin.Length && end >= begin, "etl/README.md lacks the marks of the reference");
        string expected = "\n" + ConfigurationReference.ToMarkdown(ConnectorCatalog.BuiltIn) + "\n";
        if (Environment.GetEnvironmentVariable("PIPELINE_UPDATE_DOCS") == "1") File.WriteAllText(path, page[..begin] + expected + page[end..]);
        else Assert.True(expected == page[begin..end], "etl/README.md is stale: run this test once with PIPELINE_UPDATE_DOCS=1");
    }

    [Fact]
    public void Every_setting_of_every_connector_has_help_that_is_a_sentence()
    {
        foreach (ConnectorDefinition definition in ConnectorCatalog.BuiltIn.Definitions)
        {
            Assert.NotEmpty(definition.Summary);
            Assert.All(SettingsType.Of(definition.OptionsType).Properties, p => Assert.EndsWith(".", p.Attribute.Help, StringComparison.Ordinal));
        }
    }

    private static string FindTop()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Pipeline.sln"))) folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException("Pipeline.sln is not above the tests.");
    }
}
