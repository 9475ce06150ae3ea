using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.EtlKit.Configuration;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Services;
using Pipeline.Yaml;
using Pipeline.Yaml.Nodes;
using Xunit;

namespace Pipeline.IntegrationTests.Schema;

/// <summary>The JSON Schema of pipeline.yaml, asked with ajv as editors ask theirs.</summary>
public sealed class SchemaTests
{
    private const string Script = """
        const Ajv = require('ajv');
        const fs = require('fs');
        const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true, keywords: ['deprecationMessage'] });
        const check = ajv.compile(JSON.parse(fs.readFileSync(process.argv[1], 'utf8')));
        for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n').filter(l => l))
          console.log(JSON.stringify(check(JSON.parse(line)) ? [] : check.errors.map(e => e.instancePath + ' ' + e.message + ' ' + JSON.stringify(e.params))));
        """;

    /// <summary>
    /// Broken files whose fault no schema, or none for a single file, can express: names that refer to each other,
    /// variables, the content of paths, addresses and scripts, and YAML's own rules.
    /// </summary>
    private static readonly HashSet<string> BeyondSchemas =
    [
        "duplicate key",
        "bad name",
        "too short",
        "connector's own rule",
        "empty database name",
        "index without maps",
        "index twice",
        "unknown analyzer",
        "analyzer of an exact field",
        "bad scheme",
        "TLS without certificate",
        "certificate without TLS",
        "open to others",
        "clients without TLS",
        "host name",
        "path in url",
        "undefined variable",
        "undefined variable, nothing near",
        "variable not closed",
        "no variable's name",
        "secret file missing",
        "no command for secrets",
        "unknown connection",
        "no connections",
        "duplicate task",
        "from is empty",
        "all and some",
        "reserved collection",
        "dead letters",
        "folded transform",
        "empty transform",
        "limits crossed",
        "tag",
        "merge key",
        "two documents",
        "key is a list",
        "subscription with query and filter",
        "then without a lag",
        "folded helper",
        "fault beside a deprecated key",
        "case that expects nothing at all",
        "case without a document",
        "a task's policy without a limit",
        "parallel beside followed loads",
        "no time for a batch",
    ];

    [SkippableFact]
    public async Task The_schema_accepts_every_good_file()
    {
        string[] files =
        [
            .. new[] { "samples", "docker" }
                .SelectMany(f =>
                    Directory.GetFiles(Path.Combine(RepositoryTree.Root, f), "*.yaml", SearchOption.AllDirectories)
                )
                .Where(f =>
                    Path.GetFileName(f).StartsWith("pipeline", StringComparison.Ordinal)
                    && !f.Contains("/bin/", StringComparison.Ordinal)
                    && !f.Contains("/obj/", StringComparison.Ordinal)
                ),
        ];
        Assert.NotEmpty(files);
        var answers = await CheckAsync(ConnectorCatalog.BuiltIn, files.Select(File.ReadAllText));
        Assert.All(files.Zip(answers), f => Assert.True(f.Second.GetArrayLength() == 0, $"{f.First}: {f.Second}"));
    }

    [SkippableFact]
    public async Task The_schema_accepts_what_stands_in_quotes_or_in_a_variable()
    {
        string[] files =
        [
            "version: '1'\ndatabase: { name: a, path: . }\n",
            "version: \"${V:1}\"\ndatabase: { name: a, path: ., compress: 'true' }\n",
            BrokenConfigurations.OneTask
                + """
                        disabled: 'false'
                        batch: { minDocuments: '5', maxBytes: '65536' }
                        parallel: ${P:2}

                    """,
        ];
        Assert.All(
            files,
            f =>
                Assert.True(
                    PipelineConfiguration.Parse(f, "f", FixedVariables.None, ProbeDefinition.Catalog) is not null
                )
        );
        var answers = await CheckAsync(ProbeDefinition.Catalog, files);
        Assert.All(answers, a => Assert.True(a.GetArrayLength() == 0, a.ToString()));
    }

    [SkippableFact]
    public async Task The_schema_rejects_every_broken_file_whose_fault_it_can_express()
    {
        var files = new List<(string Name, string Yaml)>();
        foreach (var row in BrokenConfigurations.Files())
        {
            if (YamlNodeReader.Read("f", (string)row[1], []) is not null)
                files.Add(((string)row[0], (string)row[1]));
        }

        var answers = await CheckAsync(ProbeDefinition.Catalog, files.Select(f => f.Yaml));
        string[] accepted =
        [
            .. files.Zip(answers).Where(f => f.Second.GetArrayLength() == 0).Select(f => f.First.Name),
        ];
        Assert.Empty(accepted.Except(BeyondSchemas));
        Assert.True(
            files.Count - accepted.Length >= 35,
            $"only {files.Count - accepted.Length} of {files.Count} are rejected"
        );
    }

    private static async Task<List<JsonElement>> CheckAsync(ConnectorCatalog catalog, IEnumerable<string> files)
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules");
        if (LocalInstallation.FindProgram("node") is not { } node || !Directory.Exists(Path.Combine(modules, "ajv")))
            throw Missing.Program("ajv", "npm");
        var folder = Directory.CreateTempSubdirectory("pipeline-schema-").FullName;
        try
        {
            string schema = Path.Combine(folder, "schema.json"),
                lines = Path.Combine(folder, "lines");
            await File.WriteAllTextAsync(schema, ConfigurationSchema.ToJson(catalog));
            await File.WriteAllLinesAsync(
                lines,
                files.Select(f => Encoding.UTF8.GetString(NodeJson.Write(YamlNodeReader.Read("f", f, [])!)))
            );
            return Tool.ParseLines(
                await Tool.RunAsync(
                    node,
                    ["-e", Script, schema, lines],
                    new Dictionary<string, string> { ["NODE_PATH"] = modules }
                )
            );
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
