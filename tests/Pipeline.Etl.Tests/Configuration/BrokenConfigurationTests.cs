using Pipeline.Configuration;
using Pipeline.EtlKit.Configuration;
using Pipeline.Yaml;
using Xunit;
using static Pipeline.EtlKit.Configuration.BrokenConfigurations;

namespace Pipeline.Etl.Tests.Configuration;

/// <summary>Broken files, each with its exact error messages.</summary>
public sealed class BrokenConfigurationTests
{
    [Theory]
    [MemberData(nameof(BrokenConfigurations.Files), MemberType = typeof(BrokenConfigurations))]
    public void Says_exactly(string name, string yaml, string expected)
    {
        var variables = new FixedVariables([new("KAFKA_URL", "x")]);
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f", variables, ProbeDefinition.Catalog)
        );
        Assert.Equal(expected, string.Join('\n', e.Diagnostics));
        Assert.NotEmpty(name);
    }

    [Theory]
    [InlineData("    query: from As where\n", "f:5:")]
    [InlineData("    filter: |\n      doc.A > 1\n        && nothing(doc)\n    projection: new { doc.A }\n", "f:7:12: ")]
    [InlineData("    filter: doc.A > 1\n    projection: new { query = nothing(doc) }\n", "f:6:31: ")]
    [InlineData(
        """
                filter: |
                  doc.A > 1
                projection: |
                  new {
                    A = nothing(doc) }

            """,
        "f:9:13: "
    )]
    public void Faults_of_a_subscriptions_scripts_have_their_place(string yaml, string part)
    {
        var whole = Head + "subscriptions:\n  - name: filter-query\n" + yaml;
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(whole, "f", FixedVariables.None, ProbeDefinition.Catalog)
        );
        Assert.StartsWith(part, Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_deprecated_key_is_a_warning_and_works()
    {
        const string yaml = Head + "connections:\n  c: { probe: { name: n, width: 5 } }\n";
        var c = PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog);
        Assert.Equal(
            "f:4:26: warning: connections.c.probe.width is deprecated; write 'count'",
            Assert.Single(c.Warnings).ToString()
        );
        Assert.Equal(5, ((ProbeOptions)c.Connections["c"].Options).Width);
    }

    [Fact]
    public void Faults_of_settings_and_scripts_come_out_together()
    {
        var yaml = OneTask
            .Replace("[Orders]", "Orders", StringComparison.Ordinal)
            .Replace("send(\"x\", doc);", "nonsense();", StringComparison.Ordinal);
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog)
        );
        Assert.Equal([7, 9], e.Diagnostics.Select(d => d.Line));
    }

    [Theory]
    [InlineData("version: 1\ndatabase: {\n", "f:")]
    [InlineData("version: 1\n\tdatabase: x\n", "; indent with spaces, not with tabs")]
    [InlineData(
        "version: 1\n# x\ndatabase:\n\tname: x\n",
        "f:4:1: YAML syntax: While scanning a mapping, found invalid tab as indentation; indent with spaces, not with tabs"
    )]
    [InlineData("a: { b: ${X} }\n", "; put quotes round a value with '${…}' inside { } or [ ]")]
    [InlineData("version: 'x\n", "YAML syntax: ")]
    [InlineData("a: b: c\n", "f:1:")]
    [InlineData("a: *nowhere\n", "f:1:4: the alias '*nowhere' has no anchor '&nowhere' before it")]
    [InlineData("a: &a [*a]\n", "f:1:8: the alias '*a' stands inside its own anchor")]
    public void Syntax_errors_have_a_place(string yaml, string part)
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f", FixedVariables.None, ProbeDefinition.Catalog)
        );
        Assert.Contains(part, Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("database: { name: a, path: \"d\\0\" }")]
    [InlineData("database: { name: a, path: d, journalPath: \"d\\0\" }")]
    [InlineData("database: { name: a, path: d, encryption: { keyFile: \"d\\0\" } }")]
    [InlineData("import: [\"d\\0\"]")]
    [InlineData("server: { url: https://127.0.0.1:1, certificate: { file: \"a\\0\" } }")]
    [InlineData("actors: { assembly: \"a\\0\" }")]
    [InlineData("backups: [{ name: b, to: [{ folder: \"a\\0\" }] }]")]
    [InlineData("etl: [{ name: t, from: [A], to: c, transform: 'return;', testFiles: [\"a\\0\"] }]")]
    [InlineData("connections: { c: { files: { directory: \"a\\0\" } } }")]
    [InlineData("connections: { c: { kafka: { bootstrapServers: a, sslCaLocation: \"a\\0\" } } }")]
    public void A_NUL_character_is_a_fault_beside_the_others(string line)
    {
        var yaml =
            "version: 1\nzzz: 1\n"
            + line
            + (line.StartsWith("database", StringComparison.Ordinal) ? "\n" : "\ndatabase: { name: a, path: . }\n");
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f", FixedVariables.None)
        );
        Assert.Contains(
            e.Diagnostics,
            d =>
                d.Line == 3
                && d.Column == line.IndexOf("\\0", StringComparison.Ordinal) - 1
                && d.ToString().EndsWith(" holds a NUL character; leave it out", StringComparison.Ordinal)
        );
        Assert.Contains(e.Diagnostics, d => d.Line == 2);
    }

    [Theory]
    [InlineData("bootstrapServers: 'a:9092,b, SASL_SSL://c:1, [::1]:9092, ::1'", null)]
    [InlineData(
        "bootstrapServers: 'a:b'",
        "f:4:35: connections.c.kafka.bootstrapServers: 'a:b' has no port between 1 and 65535 behind its colon: write host:port"
    )]
    [InlineData(
        "bootstrapServers: 'a:1,,b:2'",
        "f:4:35: connections.c.kafka.bootstrapServers: has an empty name: write host:port, separated by single commas"
    )]
    [InlineData(
        "bootstrapServers: 'a b:1'",
        "f:4:35: connections.c.kafka.bootstrapServers: 'a b:1' names no host: write host:port, separated by commas"
    )]
    [InlineData(
        "bootstrapServers: a, securityProtocol: plaintext, saslUsername: u, saslPassword: p",
        "f:4:81: connections.c.kafka.saslUsername: is not used with securityProtocol plaintext: write securityProtocol: saslPlaintext or saslSsl, or leave it out"
    )]
    [InlineData(
        "bootstrapServers: a, securityProtocol: ssl, saslPassword: p",
        "f:4:75: connections.c.kafka.saslPassword: is not used with securityProtocol ssl: write securityProtocol: saslSsl, or leave it out"
    )]
    [InlineData(
        "bootstrapServers: a, securityProtocol: ssl, sslCaLocation: nowhere.pem",
        "f:4:76: connections.c.kafka.sslCaLocation: there is no file 'nowhere.pem'; create it, or correct the path, which starts at the configuration file's folder"
    )]
    [InlineData(
        "bootstrapServers: a, sslCaLocation: nowhere.pem",
        "f:4:53: connections.c.kafka.sslCaLocation: is not used without TLS: write securityProtocol: ssl or saslSsl, or leave it out"
    )]
    public void Settings_of_Kafka_that_cannot_be_meant_are_faults(string options, string? expected)
    {
        var yaml = Head + $"connections:\n  c: {{ kafka: {{ {options} }} }}\n";
        var faults = new List<Diagnostic>();
        ConfigurationReader.Read(
            "f",
            yaml,
            FixedVariables.None,
            Pipeline.Etl.Connectors.ConnectorCatalog.BuiltIn,
            faults
        );
        if (expected is null)
            Assert.Empty(faults);
        else
            Assert.Equal(expected, faults[0].ToString());
        faults.Clear();
        ConfigurationReader.Read(
            "f",
            yaml,
            FixedVariables.None,
            Pipeline.Etl.Connectors.ConnectorCatalog.BuiltIn,
            faults,
            isLenient: true
        );
        Assert.DoesNotContain(faults, f => f.Message.Contains("there is no file", StringComparison.Ordinal));
    }

    [Fact]
    public void Variables_in_the_defaults_of_others_have_a_deepest_level()
    {
        static string Nested(int levels) =>
            Head + $"import: [ '{string.Concat(Enumerable.Repeat("${a:", levels))}x{new string('}', levels)}' ]\n";
        Assert.EndsWith(
            "x",
            Assert.Single(
                PipelineConfiguration.Parse(Nested(32), "f", FixedVariables.None, ProbeDefinition.Catalog).Import
            ),
            StringComparison.Ordinal
        );
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(Nested(60_000), "f", FixedVariables.None, ProbeDefinition.Catalog)
        );
        Assert.Equal(
            "f:3:140: variables stand in the defaults of others deeper than 32 levels (MaxDepth); write fewer of them within each other",
            Assert.Single(e.Diagnostics).ToString()
        );
    }

    [Fact]
    public void A_transform_that_does_not_compile_is_reported_at_its_line_of_the_file()
    {
        var path = Path.Combine(Path.GetTempPath(), $"pipeline-{Guid.NewGuid():N}.yaml");
        File.WriteAllText(
            path,
            OneTask.Replace("send(\"x\", doc);", "|\n      var a = 1;\n      nonsense(a);", StringComparison.Ordinal)
                + "    batch: { maxDocs: 1 }\n"
        );
        try
        {
            var found = PipelineConfiguration.Lint(path, FixedVariables.None, ProbeDefinition.Catalog);
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
