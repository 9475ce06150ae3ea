using System.Text;
using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>
/// A page under docs/reference, built from the program's own tables. With PIPELINE_UPDATE_DOCS=1 a check writes the
/// page instead of comparing it.
/// </summary>
internal sealed partial class ReferencePage
{
    private const int LineLength = 100;

    private readonly StringBuilder _text = new();
    private readonly string _name;

    public ReferencePage(string name, string title)
    {
        _name = name;
        _text
            .Append("# ")
            .Append(title)
            .Append(
                "\n\n<!-- Generated: PIPELINE_UPDATE_DOCS=1 dotnet test tests/Pipeline.Tests --filter ~Reference -->\n"
            );
    }

    /// <summary>Adds a heading.</summary>
    public void Heading(int level, string text) =>
        _text.Append('\n').Append('#', level).Append(' ').Append(text).Append('\n');

    /// <summary>Adds a paragraph: one sentence a line, wrapped where a sentence is longer than a line.</summary>
    public void Prose(string text)
    {
        _text.Append('\n');
        foreach (var sentence in SentenceEnd().Split(text))
            Wrap(sentence);
    }

    /// <summary>Adds text that is already Markdown; lines of prose are wrapped.</summary>
    public void Markdown(string text)
    {
        _text.Append('\n');
        foreach (var line in text.TrimEnd('\n').Split('\n'))
        {
            if (line.Length <= LineLength || line.StartsWith('|'))
            {
                _text.Append(line).Append('\n');
            }
            else
            {
                foreach (var sentence in SentenceEnd().Split(line))
                    Wrap(sentence);
            }
        }
    }

    /// <summary>Adds a table. Bars in cells are escaped.</summary>
    public void Table(string[] head, IEnumerable<string[]> rows)
    {
        _text.Append('\n');
        Row(head);
        Row([.. head.Select(_ => "---")]);
        foreach (var row in rows)
            Row(row);
    }

    /// <summary>Compares the page with the committed one, or writes it.</summary>
    public void Check()
    {
        var file = Path.Combine(RepositoryTree.Root, "docs", "reference", _name);
        var expected = _text.ToString();
        if (Environment.GetEnvironmentVariable("PIPELINE_UPDATE_DOCS") == "1")
            File.WriteAllText(file, expected);
        var known = File.Exists(file) ? File.ReadAllText(file).ReplaceLineEndings("\n") : "";
        if (known == expected)
            return;
        string[] before = known.Split('\n'),
            now = expected.Split('\n');
        var changes = before.Except(now).Select(l => "- " + l).Concat(now.Except(before).Select(l => "+ " + l));
        Assert.Fail(
            $"docs/reference/{_name} is stale: run this test once with PIPELINE_UPDATE_DOCS=1.\n{string.Join('\n', changes.Take(20))}"
        );
    }

    private void Row(string[] cells) =>
        _text
            .Append("| ")
            .AppendJoin(
                " | ",
                cells.Select(c => c.Replace("|", "\\|", StringComparison.Ordinal).ReplaceLineEndings(" "))
            )
            .Append(" |\n");

    private void Wrap(string sentence)
    {
        var length = 0;
        foreach (var word in sentence.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (length > 0 && length + 1 + word.Length > LineLength)
            {
                _text.Append('\n');
                length = 0;
            }
            if (length > 0)
                _text.Append(' ');
            _text.Append(word);
            length += (length > 0 ? 1 : 0) + word.Length;
        }
        _text.Append('\n');
    }

    [GeneratedRegex(@"(?<=[.:])\s+(?=[A-Z'/])|\n")]
    private static partial Regex SentenceEnd();
}
