using Pipeline.Configuration.Testing;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Testing;

/// <content>Files of cases, and the JUnit report.</content>
public sealed partial class TransformTesterTests
{
    [Fact]
    public void Cases_come_from_files_of_their_own_too_and_are_chosen_by_task_and_name()
    {
        _folder.Write("more.yaml", $"- {{ name: from a file, {Document}, expect: [{{ key: a/1 }}] }}\n");
        var tester = Load(
            "send(\"out\", doc, key: id);",
            $"- {{ name: first, {Document}, expect: [] }}",
            "testFiles: [more.yaml]"
        );
        Assert.Equal((2, 1), Counts(tester.Run()));
        var chosen = Assert.Single(tester.Run("t", "FILE").Tasks[0].Cases);
        Assert.Equal((_folder["more.yaml"], 1, true), (chosen.File, chosen.Line, chosen.Passed));
        Assert.Empty(tester.Run("other").Tasks);
    }

    [Fact]
    public void Broken_cases_are_faults_at_their_places()
    {
        _folder.Write("more.yaml", "- { name: a, expect: [] }\n- { nam: b, document: { id: x }, expect: [] }\n");
        var e = Assert.Throws<ConfigurationException>(() =>
            Load(
                "return;",
                $"- {{ name: n, {Document} }}\n      - {{ name: n, {Document}, expect: [], error: x }}",
                "testFiles: [more.yaml, none.yaml]"
            )
        );
        string[] expected =
        [
            "more.yaml:1:3: the case has no document; add it: document: { id: orders/1, body: { … } }",
            "more.yaml:2:3: [1].name is missing; it is required: what the case shows, such as: small orders send nothing",
            "more.yaml:2:5: unknown key 'nam' in [1]; did you mean 'name'?",
            "pipeline.yaml:11:9: the case says neither 'expect' nor 'error'; list the messages under 'expect', [] for none",
            "pipeline.yaml:12:17: the case 'n' is defined twice; give it another name",
            "pipeline.yaml:12:108: etl[0].tests[1].error cannot stand together with 'expect' in line 12; leave one of them out",
            "pipeline.yaml:13:28: the test file 'none.yaml': there is no such file; name a file of test cases; a relative path starts at this file's folder",
        ];
        Assert.Equal(expected, e.Diagnostics.Select(d => d.ToString()[(_folder.Path.Length + 1)..]));
    }

    [Fact]
    public void JUnit_gets_each_case()
    {
        var report = RunAll(
            "send(\"out\", doc);",
            $"- {{ name: good, {Document}, expect: [{{}}] }}\n      - {{ name: \"bad <&>\", {Document}, expect: [] }}"
        );
        using var stream = new MemoryStream();
        JUnitReport.Write(report, stream);
        stream.Position = 0;
        var xml = System.Xml.Linq.XDocument.Load(stream);
        Assert.Equal(("2", "1"), (xml.Root!.Attribute("tests")!.Value, xml.Root.Attribute("failures")!.Value));
        var cases = xml.Descendants("testcase").ToList();
        Assert.Equal(["good", "bad <&>"], cases.Select(c => c.Attribute("name")!.Value));
        Assert.Empty(cases[0].Elements("failure"));
        Assert.Contains("+ [", cases[1].Element("failure")!.Value, StringComparison.Ordinal);
        Assert.Equal("100", xml.Descendants("property").First().Attribute("value")!.Value);
    }

    [Theory]
    [InlineData(
        "expect: [{ key: \"${FOO}\" }]",
        "pipeline.yaml:13:25: the variable FOO is not set; '$${' stands for '${' itself"
    )]
    [InlineData(
        "error: \"a ${NOTSET}\"",
        "pipeline.yaml:13:16: the variable NOTSET is not set; '$${' stands for '${' itself"
    )]
    [InlineData("expect: [{ key: \"${file:none}\" }]", "pipeline.yaml:13:25: there is no secret file 'none'")]
    public void A_case_with_a_value_that_is_not_set_fails_by_name(string expect, string expected) =>
        Assert.StartsWith(
            expected,
            Assert.Single(Run(expect, "send(\"out\", doc, key: \"zzz\");").Failure),
            StringComparison.Ordinal
        );

    [Fact]
    public void A_value_with_a_default_or_an_escape_is_not_open()
    {
        Assert.Empty(
            Run("expect: [{ key: \"${FOO:z}$${FOO}\" }]", "send(\"out\", doc, key: \"z${\" + \"FOO}\");").Failure
        );
        var report = RunAll(
            "send(\"out\", doc);",
            $"- {{ name: \"${{A}}\", {Document}, expect: [{{}}] }}\n      - {{ name: \"${{B}}\", {Document}, expect: [{{}}] }}"
        );
        Assert.Equal(["${A}", "${B}"], report.Tasks[0].Cases.Where(c => !c.Passed).Select(c => c.Name));
    }

    [Fact]
    public void JUnit_stays_XML_whatever_names_and_errors_hold()
    {
        var report = RunAll(
            "throw new InvalidOperationException(\"bad \\ud800 \\u0001 \\U0001F600\");",
            $"- {{ name: \"ctrl \\x01 \\e[31m\", {Document}, expect: [{{}}] }}"
        );
        using var stream = new MemoryStream();
        JUnitReport.Write(report, stream);
        stream.Position = 0;
        var test = System.Xml.Linq.XDocument.Load(stream).Descendants("testcase").Single();
        Assert.Equal("ctrl \uFFFD \uFFFD[31m", test.Attribute("name")!.Value);
        Assert.Contains("bad \uFFFD \uFFFD \U0001F600", test.Element("failure")!.Value, StringComparison.Ordinal);
        Assert.Contains(
            "bad \uFFFD \uFFFD \U0001F600",
            test.Element("failure")!.Attribute("message")!.Value,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void A_file_name_that_is_none_is_a_fault_at_its_place()
    {
        var bad = Assert.Throws<ConfigurationException>(() =>
            Load("send(\"out\", doc);", "- { name: bad, document: { id: a/4, file: \"a\\0b\" }, expect: [{}] }")
        );
        Assert.Contains(
            "tests[0].document.file holds a NUL character",
            Assert.Single(bad.Diagnostics).Message,
            StringComparison.Ordinal
        );
        var e = Assert.Throws<ConfigurationException>(() =>
            Load("return;", $"- {{ name: n, {Document}, expect: [] }}", "testFiles: [\"a\\0b\"]")
        );
        Assert.Contains("testFiles[0]", Assert.Single(e.Diagnostics).Message, StringComparison.Ordinal);
    }
}
