using System.Globalization;
using System.Xml;

namespace Pipeline.Etl.Testing;

/// <summary>Writes a report in the XML that build servers read as JUnit's.</summary>
public static class JUnitReport
{
    /// <summary>Writes it: a test suite for each task, its coverage as a property.</summary>
    public static void Write(TestReport report, Stream output)
    {
        using var xml = XmlWriter.Create(output, new XmlWriterSettings { Indent = true, NewLineChars = "\n", CheckCharacters = false });
        xml.WriteStartElement("testsuites");
        WriteCounts(xml, report.File, report.Cases, report.Failed, report.Tasks.SelectMany(t => t.Cases));
        foreach (TaskTestResult task in report.Tasks)
        {
            xml.WriteStartElement("testsuite");
            WriteCounts(xml, task.Task, task.Cases.Count, task.Cases.Count(c => !c.Passed), task.Cases);
            xml.WriteStartElement("properties");
            WriteProperty(xml, "coverage", task.Coverage.ToString("0.#", CultureInfo.InvariantCulture));
            WriteProperty(xml, "uncovered-lines", string.Join(',', task.UncoveredLines));
            xml.WriteEndElement();
            foreach (TestCaseResult test in task.Cases) WriteCase(xml, task.Task, test);
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    private static void WriteCounts(XmlWriter xml, string name, int tests, int failures, IEnumerable<TestCaseResult> cases)
    {
        xml.WriteAttributeString("name", name);
        xml.WriteAttributeString("tests", tests.ToString(CultureInfo.InvariantCulture));
        xml.WriteAttributeString("failures", failures.ToString(CultureInfo.InvariantCulture));
        xml.WriteAttributeString("errors", "0");
        xml.WriteAttributeString("time", Seconds(cases.Sum(c => c.Duration.TotalSeconds)));
    }

    private static void WriteProperty(XmlWriter xml, string name, string value)
    {
        xml.WriteStartElement("property");
        xml.WriteAttributeString("name", name);
        xml.WriteAttributeString("value", value);
        xml.WriteEndElement();
    }

    private static void WriteCase(XmlWriter xml, string task, TestCaseResult test)
    {
        xml.WriteStartElement("testcase");
        xml.WriteAttributeString("classname", task);
        xml.WriteAttributeString("name", test.Name);
        xml.WriteAttributeString("file", test.File);
        xml.WriteAttributeString("line", test.Line.ToString(CultureInfo.InvariantCulture));
        xml.WriteAttributeString("time", Seconds(test.Duration.TotalSeconds));
        if (!test.Passed)
        {
            xml.WriteStartElement("failure");
            xml.WriteAttributeString("message", test.Failure.Count == 1 ? Clean(test.Failure[0]) : "the messages differ");
            xml.WriteString(Clean(string.Join('\n', test.Failure)));
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    private static string Seconds(double seconds) => seconds.ToString("0.000", CultureInfo.InvariantCulture);

    // XML has no place for most control characters.
    private static string Clean(string text) => string.Concat(text.Select(c => XmlConvert.IsXmlChar(c) || char.IsSurrogate(c) ? c : '\uFFFD'));
}
