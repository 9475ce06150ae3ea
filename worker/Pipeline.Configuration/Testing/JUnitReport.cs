using System.Globalization;
using System.Text;
using System.Xml;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Writes a report in JUnit's XML format for build servers. Characters that XML forbids become U+FFFD.
/// </summary>
public static class JUnitReport
{
    /// <summary>
    /// Writes the report: a test suite for each task, with its coverage as a property if it was measured.
    /// </summary>
    public static void Write(TestReport report, Stream output)
    {
        ArgumentNullException.ThrowIfNull(report);
        using var xml = XmlWriter.Create(output, new XmlWriterSettings { Indent = true, NewLineChars = "\n" });
        xml.WriteStartElement("testsuites");
        WriteCounts(xml, report.File, report.Cases, report.Failed, report.Tasks.SelectMany(t => t.Cases));
        foreach (var task in report.Tasks)
        {
            xml.WriteStartElement("testsuite");
            WriteCounts(xml, task.Task, task.Cases.Count, task.Cases.Count(c => !c.Passed), task.Cases);
            if (task.HasCoverage)
            {
                xml.WriteStartElement("properties");
                WriteProperty(xml, "coverage", task.Coverage.ToString("0.#", CultureInfo.InvariantCulture));
                WriteProperty(xml, "uncovered-lines", string.Join(',', task.UncoveredLines));
                xml.WriteEndElement();
            }

            foreach (var test in task.Cases)
                WriteCase(xml, task.Task, test);
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    private static void WriteCounts(
        XmlWriter xml,
        string name,
        int tests,
        int failures,
        IEnumerable<TestCaseResult> cases
    )
    {
        WriteAttribute(xml, "name", name);
        WriteAttribute(xml, "tests", tests.ToString(CultureInfo.InvariantCulture));
        WriteAttribute(xml, "failures", failures.ToString(CultureInfo.InvariantCulture));
        WriteAttribute(xml, "errors", "0");
        WriteAttribute(xml, "time", Seconds(cases.Sum(c => c.Duration.TotalSeconds)));
    }

    private static void WriteProperty(XmlWriter xml, string name, string value)
    {
        xml.WriteStartElement("property");
        WriteAttribute(xml, "name", name);
        WriteAttribute(xml, "value", value);
        xml.WriteEndElement();
    }

    private static void WriteCase(XmlWriter xml, string task, TestCaseResult test)
    {
        xml.WriteStartElement("testcase");
        WriteAttribute(xml, "classname", task);
        WriteAttribute(xml, "name", test.Name);
        WriteAttribute(xml, "file", test.File);
        WriteAttribute(xml, "line", test.Line.ToString(CultureInfo.InvariantCulture));
        WriteAttribute(xml, "time", Seconds(test.Duration.TotalSeconds));
        if (!test.Passed)
        {
            xml.WriteStartElement("failure");
            WriteAttribute(xml, "message", test.Failure.Count == 1 ? test.Failure[0] : "the messages differ");
            xml.WriteString(Clean(string.Join('\n', test.Failure)));
            xml.WriteEndElement();
        }

        xml.WriteEndElement();
    }

    private static void WriteAttribute(XmlWriter xml, string name, string value) =>
        xml.WriteAttributeString(name, Clean(value));

    private static string Seconds(double seconds) => seconds.ToString("0.000", CultureInfo.InvariantCulture);

    // Runes already have U+FFFD for a lone surrogate.
    private static string Clean(string text)
    {
        var result = new StringBuilder(text.Length);
        foreach (var rune in text.EnumerateRunes())
        {
            result.Append(
                (rune.IsBmp && !XmlConvert.IsXmlChar((char)rune.Value) ? Rune.ReplacementChar : rune).ToString()
            );
        }

        return result.ToString();
    }
}
