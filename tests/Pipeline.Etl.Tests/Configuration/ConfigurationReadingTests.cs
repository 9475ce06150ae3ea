using Pipeline.Configuration;
using Pipeline.EtlKit.Configuration;
using Pipeline.Yaml;
using Pipeline.Yaml.Nodes;
using Xunit;

namespace Pipeline.Etl.Tests.Configuration;

public sealed class ConfigurationReadingTests
{
    private const string Whole = """
        version: 1
        database:
          name: shop
          path: ./data
        import:
          - northwind.jsonl
        connections:
          local: { probe: { name: "${WHO:amqp://guest:guest@localhost:5672}", maxBytes: 64KiB, wait: 1m30s, mode: fullSpeed } }
          other: { probe: { name: plain, list: [a, "b"], map: { x: 1, y: 2 }, nested: { deep: true }, ratio: 0.5, count: 7 } }
        etl:
          - name: big-orders
            from: [Orders]
            to: local
            deletes: true
            batch: { maxBytes: 1MiB }
            transform: |
              var a = 1;
                send("x", new { Id = $"${a}" });
        server: { url: http://127.0.0.1:9090 }
        """;

    [Fact]
    public void The_whole_shape_is_read()
    {
        var c = Parse(Whole);
        Assert.Equal("shop", c.Database.Name);
        Assert.Equal(Path.GetFullPath("/conf/data"), c.Database.Path);
        Assert.Equal([Path.GetFullPath("/conf/northwind.jsonl")], c.Import);
        Assert.Equal(new Uri("http://127.0.0.1:9090"), c.Server.Url);
        var local = Assert.IsType<ProbeOptions>(c.Connections["local"].Options);
        Assert.Equal("amqp://guest:guest@localhost:5672", local.Name);
        Assert.Equal(65536, local.MaxBytes);
        Assert.Equal(TimeSpan.FromSeconds(90), local.Wait);
        Assert.Equal(ProbeMode.FullSpeed, local.Mode);
        var other = (ProbeOptions)c.Connections["other"].Options;
        Assert.Equal(["a", "b"], other.List);
        Assert.Equal(2, other.Map["y"]);
        Assert.True(other.Nested.Deep);
        Assert.Equal(0.5, other.Ratio);
        Assert.Equal(7, other.Count);
        var task = Assert.Single(c.Etl);
        Assert.True(task.Deletes);
        Assert.Equal(
            "/conf/pipeline.yaml:14:5: warning: etl[0].deletes is deprecated; write 'onDelete: event'",
            Assert.Single(c.Warnings).ToString()
        );
        Assert.Equal(1 << 20, task.Batch.MaxBytes);
        Assert.Equal(16_384, task.Batch.MaxDocuments);
        Assert.Equal("var a = 1;\n  send(\"x\", new { Id = $\"${a}\" });\n", task.Transform.Text);
        Assert.Equal((17, 7), task.Transform.Locate(1, 1));
        Assert.Equal((18, 9), task.Transform.Locate(2, 3));
    }

    [Theory]
    [InlineData("${A}", "one")]
    [InlineData("x${A}y${B}z", "xoneytwo: [2]z")]
    [InlineData("${NONE:a:b:c}", "a:b:c")]
    [InlineData("${NONE:-a:b:c}", "a:b:c")]
    [InlineData("${NONE:--1}", "-1")]
    [InlineData("${EMPTY:-else}", "else")]
    [InlineData("${A:-else}", "one")]
    [InlineData("${NONE:-}", "")]
    [InlineData("${EMPTY:else}", "else")]
    [InlineData("${NONE:}", "")]
    [InlineData("${NONE:{x}}", "{x}")]
    [InlineData("${NONE:${A}-${NONE:d}}", "one-d")]
    [InlineData("$${A} $A $", "${A} $A $")]
    [InlineData("${LOOP}", "${A}")]
    public void Variables_are_put_into_values(string text, string expected)
    {
        var yaml = $$"""
            version: 1
            database: { name: a, path: . }
            connections: { c: { probe: { name: '{{text}}' } } }

            """;
        var c = Parse(yaml, ("A", "one"), ("B", "two: [2]"), ("EMPTY", ""), ("LOOP", "${A}"));
        Assert.Equal(expected, ((ProbeOptions)c.Connections["c"].Options).Name);
    }

    [Fact]
    public void A_variable_cannot_change_the_structure()
    {
        const string yaml = """
            version: 1
            database: { name: a, path: . }
            connections:
              c:
                probe:
                  name: ${EVIL}

            """;
        var c = Parse(yaml, ("EVIL", "x }, list: [1]\nversion: 2\n# \"'"));
        var options = (ProbeOptions)c.Connections["c"].Options;
        Assert.Equal("x }, list: [1]\nversion: 2\n# \"'", options.Name);
        Assert.Empty(options.List);
    }

    [Fact]
    public void Neither_secrets_nor_variables_values_are_printed()
    {
        const string yaml = """
            version: 1
            database: { name: a, path: . }
            connections:
              c: { probe: { name: n, pin: hunter1, password: [hunter2], count: '${COUNT}' } }

            """;
        var e = Assert.Throws<ConfigurationException>(() => Parse(yaml, ("COUNT", "hunter3")));
        Assert.Equal(3, e.Diagnostics.Count);
        Assert.DoesNotContain("hunter", e.Message, StringComparison.Ordinal);
        Assert.Contains("${COUNT}", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("transform: \"a\\tbX\"", 1, 4, 1, 17)]
    [InlineData("transform: 'it''s X'", 1, 6, 1, 19)]
    [InlineData("transform: plain X", 1, 7, 1, 18)]
    [InlineData("transform: 'one\n  two X'", 1, 9, 2, 7)]
    [InlineData("transform: |4-\n\n        a\n      X", 3, 3, 4, 7)]
    [InlineData("transform: | # note\n\n  a\n   X\n", 3, 2, 4, 4)]
    [InlineData("transform: |\r\n  a\r\n   X\r\n", 2, 2, 3, 4)]
    [InlineData("transform: \"\\u0041X\"", 1, 2, 1, 19)]
    public void Places_in_scripts_are_places_in_the_file(
        string yaml,
        int line,
        int column,
        int fileLine,
        int fileColumn
    )
    {
        var diagnostics = new List<Diagnostic>();
        var root = Assert.IsType<MappingNode>(YamlNodeReader.Read("f", yaml, diagnostics));
        var node = (ScalarNode)root.Find("transform")!;
        Assert.Equal((fileLine, fileColumn), node.Text.Locate(line, column));
        Assert.Equal('X', yaml.Split('\n')[fileLine - 1][fileColumn - 1]);
        Assert.Equal('X', node.Raw.Split('\n')[line - 1][column - 1]);
    }

    [Fact]
    public void Aliases_stand_for_whole_values()
    {
        const string yaml = """
            version: 1
            database: { name: a, path: . }
            connections:
              a: &it { probe: { name: x } }
              b: *it

            """;
        Assert.Equal("x", ((ProbeOptions)Parse(yaml).Connections["b"].Options).Name);
    }

    [Fact]
    public void Many_laughs_are_refused()
    {
        var yaml = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
        for (var c = 'b'; c < 'j'; c++)
            yaml += $"{c}: &{c} [{string.Join(", ", Enumerable.Repeat("*" + (char)(c - 1), 10))}]\n";
        var e = Assert.Throws<ConfigurationException>(() => Parse(yaml));
        Assert.Contains("MaxNodes", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_that_is_too_large_or_missing_or_not_text_is_refused()
    {
        var path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, new byte[ConfigurationLimits.MaxFileBytes + 1]);
            Assert.Contains("MaxFileBytes", Fault(path), StringComparison.Ordinal);
            File.WriteAllBytes(path, [(byte)'a', 0xff]);
            Assert.Contains("not UTF-8", Fault(path), StringComparison.Ordinal);
            File.WriteAllBytes(path, System.Text.Encoding.BigEndianUnicode.GetBytes("version: 1\n"));
            Assert.Equal($"{path}:1:1: the file has zero bytes, as UTF-16 has; save it as UTF-8", Fault(path));
            Assert.Equal(
                $"{Path.GetTempPath()}:1:1: this is a folder; name the file in it with --config FILE",
                Fault(Path.GetTempPath())
            );
            Assert.Equal(
                "nowhere.yaml:1:1: there is no such file; name the file with --config FILE",
                Fault("nowhere.yaml")
            );
        }
        finally
        {
            File.Delete(path);
        }

        static string Fault(string file) =>
            Assert.Throws<ConfigurationException>(() => PipelineConfiguration.Load(file, FixedVariables.None)).Message;
    }

    [Fact]
    public void Any_bytes_give_faults_and_never_another_error()
    {
        const int seed = 20261121;
        var random = new Random(seed);
        var alphabet = " \n\t-:{}[]\"'|>&*#!%@`,?ab1${}\\~";
        for (var i = 0; i < 3000; i++)
        {
            var text =
                i % 3 == 0
                    ? string.Concat(
                        Enumerable.Range(0, random.Next(60)).Select(_ => alphabet[random.Next(alphabet.Length)])
                    )
                    : Whole
                        .Remove(random.Next(Whole.Length - 20), random.Next(20))
                        .Insert(random.Next(Whole.Length - 40), alphabet[random.Next(alphabet.Length)].ToString());
            try
            {
                Parse(text);
            }
            catch (ConfigurationException e)
            {
                Assert.True(e.Diagnostics.Count > 0, $"seed {seed}, run {i}: {text}");
                Assert.All(e.Diagnostics, d => Assert.True(d.Line > 0 && d.Column > 0));
            }
            catch (Exception e)
            {
                Assert.Fail($"seed {seed}, run {i}: {e}\n{text}");
            }
        }
    }

    private static PipelineConfiguration Parse(string yaml, params (string, string)[] variables) =>
        PipelineConfiguration.Parse(
            yaml,
            "/conf/pipeline.yaml",
            new FixedVariables(variables.Select(v => KeyValuePair.Create(v.Item1, v.Item2))),
            ProbeDefinition.Catalog
        );
}
