using Pipeline.Configuration;
using Pipeline.Configuration.Testing;
using Pipeline.EtlKit.Configuration;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Testing;

public sealed partial class TransformTesterTests : IDisposable
{
    private const string Document = "document: { id: a/1, body: { N: 5, Name: Ada, Tags: [x, y], Null: null } }";
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("samples/Quickstart/pipeline.yaml")]
    [InlineData("samples/Actors/pipeline.yaml")]
    public void The_samples_tests_pass_and_run_every_line(string file)
    {
        var report = TransformTester.Load(Path.Combine(RepositoryTree.Root, file), FixedVariables.None).Run();
        Assert.All(
            report.Tasks.SelectMany(t => t.Cases),
            c => Assert.True(c.Passed, $"{c.Name}: {string.Join('\n', c.Failure)}")
        );
        Assert.All(report.Tasks, t => Assert.NotEmpty(t.Cases));
        Assert.Equal(100, report.Coverage);
    }

    [Theory]
    [InlineData("expect: [{ destination: out, key: a/1, body: { Id: a/1, N: 5.0 } }]")]
    [InlineData("expect: [{ body: { Tags: [x, y], Gone: null, Null: null } }]")]
    [InlineData(
        "expect: [{ body: { Id: a/1, Name: Ada, N: 5, Tags: [x, y], Null: null, Collection: Things }, exact: true }]"
    )]
    [InlineData(
        "expect: [{ type: pipeline.document.put, source: /databases/a/etl/t, id: AAAAAAAAAAAAAAAAAAAAAA/t/1/0 }]"
    )]
    [InlineData("expect: [{ }]")]
    public void Passes(string expect) => Assert.Empty(Run(expect).Failure);

    [Theory]
    [InlineData(
        "expect: []",
        "- []",
        "+ [",
        "+   {",
        "+     \"destination\": \"out\",",
        "+     \"key\": \"a/1\",",
        "+     \"body\": {",
        "+       \"Id\": \"a/1\",",
        "+       \"N\": 5,",
        "+       \"Name\": \"Ada\",",
        "+       \"Tags\": [",
        "+         \"x\",",
        "+         \"y\"",
        "+       ],",
        "+       \"Null\": null,",
        "+       \"Collection\": \"Things\"",
        "+     }",
        "+   }",
        "+ ]"
    )]
    [InlineData(
        "expect: [{ body: { N: 6, Name: Ada } }]",
        "  [",
        "    {",
        "      \"body\": {",
        "-       \"N\": 6,",
        "+       \"N\": 5,",
        "        \"Name\": \"Ada\"",
        "      }",
        "    }",
        "  …"
    )]
    [InlineData(
        "expect: [{ body: { Tags: [x] } }]",
        "  …",
        "    {",
        "      \"body\": {",
        "        \"Tags\": [",
        "-         \"x\"",
        "+         \"x\",",
        "+         \"y\"",
        "        ]",
        "      }",
        "    }",
        "  …"
    )]
    [InlineData(
        "expect: [{ key: \"\", body: { N: \"5\" } }]",
        "  [",
        "    {",
        "-     \"key\": \"\",",
        "+     \"key\": \"a/1\",",
        "      \"body\": {",
        "-       \"N\": \"5\"",
        "+       \"N\": 5",
        "      }",
        "    }",
        "  ]"
    )]
    [InlineData("error: boom", "it must fail with 'boom', but it sent 1 messages")]
    public void Fails_with_the_lines_that_differ(string expect, params string[] difference) =>
        Assert.Equal(difference, Run(expect).Failure);

    [Fact]
    public void An_extra_key_fails_where_it_must_be_exact()
    {
        var failure = Run("expect: [{ body: { Id: a/1 }, exact: true }]").Failure;
        Assert.Contains("+       \"Name\": \"Ada\",", failure);
    }

    [Fact]
    public void An_error_is_expected_with_its_place()
    {
        const string script =
            "if (doc.N > 3) throw new InvalidOperationException(\"boom \" + id);\n      send(\"out\", doc);";
        Assert.Empty(Run("error: boom a/1", script).Failure);
        Assert.Empty(Run("error: (pipeline.yaml:9:22)", script).Failure);
        Assert.Equal(
            "the transform failed: boom a/1 (pipeline.yaml:9:22)",
            Assert.Single(Run("expect: []", script).Failure)
        );
        Assert.Equal(["- bang", "+ boom a/1 (pipeline.yaml:9:22)"], Run("error: bang", script).Failure);
    }

    [Fact]
    public void Loaded_documents_files_metadata_and_deletions_are_as_a_task_sees_them()
    {
        _folder.Write(
            "order.json",
            """{"Company":"c/1","@metadata":{"@id":"orders/7","@collection":"Things","@last-modified":"2020-02-03T04:05:06Z","Own":"x"}}"""
        );
        const string script =
            """send("out", new { Id = id, C = load(doc.Company).Name, M = metadata["Own"], At = metadata["@last-modified"], D = isDeleted, Other = load("c/2") == null });""";
        const string loaded = "loaded: [{ id: C/1, body: { Name: Acme } }]";
        Assert.Empty(
            Run(
                "expect: [{ body: { Id: orders/7, C: Acme, M: x, At: \"2020-02-03T04:05:06.0000000Z\", D: false, Other: true } }]",
                script,
                "document: { file: order.json }",
                loaded
            ).Failure
        );
        Assert.Empty(
            Run(
                "expect: [{ body: { Id: orders/8, C: null, D: true } }]",
                script,
                "document: { id: orders/8, deleted: true }",
                loaded,
                "onDelete: event"
            ).Failure
        );
        Assert.Empty(
            Run(
                "expect: [{ key: orders/8, body: null }]",
                script,
                "document: { id: orders/8, deleted: true }",
                loaded,
                "onDelete: tombstone"
            ).Failure
        );
        Assert.Equal(
            "the task takes no deletions, such as that of 'orders/8'",
            Run("expect: [{ }]", script, "document: { id: orders/8, deleted: true }", loaded).Failure[0]
        );
        Assert.Equal(
            "the task takes no documents of 'Others', such as 'o/1'",
            Run("expect: [{ }]", script, "document: { id: o/1, collection: Others, body: { } }", loaded).Failure[0]
        );
        Assert.Equal(
            "the document has no id: add 'id'",
            Assert.Single(Run("expect: []", script, "document: { body: { } }").Failure)
        );
        Assert.StartsWith(
            "none.json: ",
            Assert.Single(Run("expect: []", script, "document: { id: a, file: none.json }").Failure),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Loaded_documents_have_their_metadata()
    {
        const string script =
            """var c = getMetadata(load("c/1")); send("out", new { I = c["@id"], C = c["@collection"], At = c["@last-modified"], V = c["@change-vector"] != null, Own = c["own"], Gone = getMetadata(load("c/2")) == null });""";
        const string loaded =
            "loaded: [{ id: c/1, collection: Companies, metadata: { \"@last-modified\": \"2020-02-03T04:05:06Z\", own: x }, body: { Name: Acme } }]";
        Assert.Empty(
            Run(
                "expect: [{ body: { I: c/1, C: Companies, At: \"2020-02-03T04:05:06.0000000Z\", V: true, Own: x, Gone: true } }]",
                script,
                Document,
                loaded
            ).Failure
        );
    }

    [Fact]
    public void Variables_and_secrets_need_not_be_there()
    {
        var file = _folder.Write(
            "p.yaml",
            """
            version: 1
            database: { name: "${DB}", path: "${PATH_OF_DATA}" }
            connections: { c: { probe: { name: "${file:none}" } } }

            """
                + "etl:\n  - { name: t, from: [A], to: \"${TO}\", transform: 'send(\"x\", doc);', tests: [{ name: n, document: { id: a, body: { A: \"${X}\" } }, expect: [{ body: { A: \"${X}\" } }] }] }\n"
        );
        Assert.Equal((1, 0), Counts(TransformTester.Load(file, FixedVariables.None, ProbeDefinition.Catalog).Run()));
    }

    [Fact]
    public void Lines_that_no_case_ran_are_listed()
    {
        const string script = """
            var n = doc.N;
            if (n > 3) send("big", n);
            else
              send("small", n);
            foreach (var t in doc.Tags)
            {
              if (t == "none") continue;
              send("tag", t);
            }
            string Half(int x)
            {
              return (x / 2).ToString();
            }
            if (n == 100) { send("half", Half(100)); }
            """;
        var task = RunAll(
            script.ReplaceLineEndings("\n      "),
            $"- {{ name: n, {Document}, expect: [{{}}, {{}}, {{}}] }}"
        ).Tasks[0];
        Assert.True(task.Cases[0].Passed, string.Join('\n', task.Cases[0].Failure));

        // 4 (small), 7 (continue), 12 (Half), 14 (its call), each eight lines further down in the file.
        Assert.Equal([12, 15, 20, 22], task.UncoveredLines);
        Assert.Equal((4, 8), (task.CoveredLines, task.Lines));
    }

    [Fact]
    public void Helpers_are_shared_and_their_faults_are_told_once_at_their_place()
    {
        const string good = """
            helpers:
              text: |
                const string End = "!";
                static string Shout(string s) => s.ToUpperInvariant() + End;
              numbers: "static int Check(int n) { if (n > 9) throw new InvalidOperationException(\"too large\"); return n; }"
            etl:
              - { name: a, from: [A], to: c, transform: 'send("a", Shout(doc.Name));', tests: [{ name: n, document: { id: x, body: { Name: hi } }, expect: [{ body: HI! }] }] }
              - name: b
                from: [A]
                to: c
                transform: send("b", Check(doc.N).ToString() + Shout("x"));
                tests:
                  - { name: n, document: { id: x, body: { N: 9 } }, expect: [{ body: 9X! }] }
                  - { name: m, document: { id: x, body: { N: 10 } }, error: "too large (pipeline.yaml:8:50)" }
            """;
        const string head = "version: 1\ndatabase: { name: a, path: . }\nconnections: { c: { probe: { name: n } } }\n";
        var file = _folder.Write("pipeline.yaml", head + good);
        var report = TransformTester.Load(file, FixedVariables.None, ProbeDefinition.Catalog).Run();
        Assert.All(
            report.Tasks.SelectMany(t => t.Cases),
            c => Assert.True(c.Passed, $"{c.Name}: {string.Join('\n', c.Failure)}")
        );

        File.WriteAllText(file, File.ReadAllText(file).Replace("+ End;", "+ Ende;", StringComparison.Ordinal));
        var fault = Assert.Single(PipelineConfiguration.Lint(file, FixedVariables.None, ProbeDefinition.Catalog));
        Assert.Equal((7, 61), (fault.Line, fault.Column));
        Assert.StartsWith("helper 'text': CS0103: ", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Attachments_are_as_a_task_sees_them()
    {
        const string script =
            """var a = loadAttachment("NOTE.txt"); send("out", new { a.Name, a.Text, a.ContentType, a.Size, a.Hash, a.Base64, Bin = loadAttachment("b").Size, BinText = loadAttachment("b").Text, None = loadAttachment("x") == null });""";
        const string document =
            "document: { id: a/1, attachments: [{ name: note.txt, contentType: text/plain, text: \"h\u00e9 $${X}\" }, { name: b, base64: AAEC }] }";
        var content = System.Text.Encoding.UTF8.GetBytes("h\u00e9 ${X}");
        var hash = Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(content));
        Assert.Empty(
            Run(
                $"expect: [{{ body: {{ Name: note.txt, Text: \"h\u00e9 ${{X}}\", ContentType: text/plain, Size: {content.Length}, Hash: \"{hash}\", Base64: \"{Convert.ToBase64String(content)}\", Bin: 3, BinText: null, None: true }} }}]",
                script,
                document
            ).Failure
        );

        var e = Assert.Throws<ConfigurationException>(() =>
            Run(
                "expect: []",
                script,
                "document: { id: a/1, attachments: [{ name: a }, { name: A, base64: x }, { name: c, text: x, base64: AAEC }] }"
            )
        );
        Assert.Equal(
            ["the attachment 'a' has no content", "the attachment 'A' is defined twice", "the content is not Base64"],
            e.Diagnostics.Select(d => d.Message)
                .Where(m => !m.Contains("cannot stand together", StringComparison.Ordinal))
        );
    }

    [Fact]
    public void Lines_of_helpers_count_with_any_task()
    {
        const string text = """
            version: 1
            database: { name: a, path: . }
            connections: { c: { probe: { name: n } } }
            helpers:
              sign: |
                static string Sign(int n)
                {
                  if (n > 0)
                    return "+";
                  if (n < 0)
                    return "-";
                  return "0";
                }
            etl:
              - { name: a, from: [A], to: c, transform: 'send("a", Sign(1));', tests: [{ name: n, document: { id: x }, expect: [{ body: "+" }] }] }
              - { name: b, from: [A], to: c, transform: 'send("b", Sign(-1));', tests: [{ name: n, document: { id: x }, expect: [{ body: "-" }] }] }
            """;
        var tester = TransformTester.Load(
            _folder.Write("pipeline.yaml", text),
            FixedVariables.None,
            ProbeDefinition.Catalog
        );
        var report = tester.Run();
        var helper = Assert.Single(report.Helpers);
        Assert.Equal(("sign", 4, 5), (helper.Helper, helper.CoveredLines, helper.Lines));
        Assert.Equal([12], helper.UncoveredLines);
        Assert.Equal(100.0 * 6 / 7, report.Coverage);
        Assert.Empty(tester.Run("a").Helpers);
    }

    private static (int, int) Counts(TestReport report) => (report.Cases, report.Failed);

    private TestCaseResult Run(
        string expect,
        string script =
            "send(\"out\", new { Id = id, doc.N, doc.Name, doc.Tags, doc.Null, Collection = collection }, key: id);",
        string document = Document,
        string more = "",
        string keys = ""
    ) =>
        RunAll(
            script,
            $"- name: n\n        {document}\n        {expect}\n{(more.Length == 0 ? "" : $"        {more}\n")}",
            keys
        )
            .Tasks[0]
            .Cases[0];

    private TestReport RunAll(string script, string cases, string keys = "") => Load(script, cases, keys).Run();

    // The script begins in line 9, the first case stands two lines after its end.
    private TransformTester Load(string script, string cases, string keys = "") =>
        TransformTester.Load(
            _folder.Write(
                "pipeline.yaml",
                $"version: 1\ndatabase: {{ name: a, path: . }}\nconnections: {{ c: {{ probe: {{ name: n }} }} }}\netl:\n  - name: t\n    from: [Things]\n    to: c\n    transform: |\n      {script}\n    tests:\n      {cases}\n{(keys.Length == 0 ? "" : $"    {keys}\n")}"
            ),
            FixedVariables.None,
            ProbeDefinition.Catalog
        );
}
