using Pipeline.Etl.Configuration;
using Xunit;
using static Pipeline.Tests.Etl.Configuration.BrokenConfigurations;

namespace Pipeline.Tests.Etl.Configuration;

/// <summary>Broken files, each with exactly what is said about it.</summary>
public sealed class BrokenConfigurationTests
{
    [Theory]
    [MemberData(nameof(BrokenConfigurations.Files), MemberType = typeof(BrokenConfigurations))]
    public void Says_exactly(string name, string yaml, string expected)
    {
        var variables = new FixedVariables([new("KAFKA_URL", "x")]);
        var e = Assert.Throws<ConfigurationException>(() => PipelineConfiguration.Parse(yaml, "f", variables, ProbeDefinition.Catalog));
        Assert.Equal(expected, string.Join('\n', e.Diagnostics));
        Assert.NotEmpty(name);
    }

    [Theory]
    [InlineData("    query: from As where\n", "f:5:")]
    [InlineData("    filter: |\n      doc.A > 1\n        && nothing(doc)\n    projection: new { doc.A }\n", "f:7:12: ")]
    [InlineData("    filter: doc.A > 1\n    projection: new { query = nothing(doc) }\n", "f:6:31: ")]
    [InlineData("    filter: |\n      doc.A > 1\n    projection: |\n      new {\n        A = nothing(doc) }\n", "f:9:13: ")]
    public void Faults_of_a_subscriptions_scripts_have_their_place(string yaml, string part)
    {
        string whole = Head + "subscriptions:\n  - name: filter-query\n" + yaml;
        var e = Assert.Throws<ConfigurationException>(() => PipelineConfiguration.Parse(whole, "f", FixedVariables.None, ProbeDefinition.Catalog));
        Assert.StartsWith(part, Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_deprecated_key_is_a_warning_and_works()
    {
        const string yaml = Head + "connections:\n  c: { probe: { name: n, width: 5 } }\n";
        PipelineConfiguration c = PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog);
        Assert.Equal("f:4:26: warning: connections.c.probe.width is deprecated; write 'count'", Assert.Single(c.Warnings).ToString());
        Assert.Equal(5, ((ProbeOptions)c.Connections["c"].Options).Width);
    }

    [Fact]
    public void Faults_of_settings_and_scripts_come_out_together()
    {
        string yaml = OneTask.Replace("[Orders]", "Orders", StringComparison.Ordinal).Replace("send(\"x\", doc);", "nonsense();", StringComparison.Ordinal);
        var e = Assert.Throws<ConfigurationException>(() => PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog));
        Assert.Equal([7, 9], e.Diagnostics.Select(d => d.Line));
    }

    [Theory]
    [InlineData("version: 1\ndatabase: {\n", "f:")]
    [InlineData("version: 1\n\tdatabase: x\n", "; indent with spaces, not with tabs")]
    [InlineData("a: { b: ${X} }\n", "; put quotes round a value with '${…}' inside { } or [ ]")]
    [InlineData("version: 'x\n", "YAML syntax: ")]
    [InlineData("a: b: c\n", "f:1:")]
    [InlineData("a: *nowhere\n", "f:1:4: the alias '*nowhere' has no anchor '&nowhere' before it")]
    [InlineData("a: &a [*a]\n", "f:1:8: the alias '*a' stands inside its own anchor")]
    public void Syntax_errors_have_a_place(string yaml, string part)
    {
        var e = Assert.Throws<ConfigurationException>(() => PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog));
        Assert.Contains(part, Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_transform_that_does_not_compile_is_reported_at_its_line_of_the_file()
    {
        string path = Path.Combine(Path.GetTempPath(), $"pipeline-{Guid.NewGuid():N}.yaml");
        File.WriteAllText(path, OneTask.Replace("send(\"x\", doc);", "|\n      var a = 1;\n      nonsense(a);", StringComparison.Ordinal) + "    batch: { maxDocs: 1 }\n");
        try
        {
            IReadOnlyList<Diagnostic> found = PipelineConfiguration.Lint(path, FixedVariables.None, ProbeDefinition.Catalog);
            Assert.Equal(2, found.Count);
            Assert.Equal((11, 7), (found[0].Line, found[0].Column));
            Assert.Contains("transform of 't': CS0103", found[0].Message, StringComparison.Ordinal);
            Assert.Equal((12, 14), (found[1].Line, found[1].Column));
        }
        finally
        {
            File.Delete(path);
        }
    }
}
