using System.Globalization;
using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>An object of a MIB file.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Syntax">Its syntax, with single spaces.</param>
/// <param name="Access">Who may read it.</param>
/// <param name="Parent">The object above it.</param>
/// <param name="Number">Its number below that.</param>
internal sealed record MibObject(string Name, string Syntax, string Access, string Parent, uint Number);

/// <summary>Reads as much of SMIv2 as PIPELINE-MIB uses.</summary>
internal static partial class MibFile
{
    public static string Text { get; } =
        File.ReadAllText(Path.Combine(RepositoryTree.Root, "docs", "reference", "PIPELINE-MIB.txt"));

    /// <summary>The tables, entries, scalars and columns, in the order of the file.</summary>
    public static List<MibObject> Objects() =>
        [
            .. ObjectType()
                .Matches(Text)
                .Select(m => new MibObject(
                    m.Groups["name"].Value,
                    Spaces().Replace(m.Groups["syntax"].Value, " ").Trim(),
                    m.Groups["access"].Value,
                    m.Groups["parent"].Value,
                    Number(m.Groups["number"].Value)
                )),
        ];

    /// <summary>The numbers of other identifiers, by name.</summary>
    public static Dictionary<string, (string Parent, uint Number)> Identifiers() =>
        Identifier()
            .Matches(Text)
            .ToDictionary(
                m => m.Groups["name"].Value,
                m => (m.Groups["parent"].Value, Number(m.Groups["number"].Value)),
                StringComparer.Ordinal
            );

    /// <summary>The objects that groups of the conformance section list.</summary>
    public static List<string> Grouped() =>
        [.. Group().Matches(Text).SelectMany(m => m.Groups["names"].Value.Split(',', StringSplitOptions.TrimEntries))];

    /// <summary>The columns with their types that a row's SEQUENCE lists.</summary>
    public static List<(string Name, string Type)> Sequence(string entry) =>
        [
            .. Regex
                .Match(Text, $@"{entry} ::= SEQUENCE \{{(?<columns>[^}}]*)\}}")
                .Groups["columns"]
                .Value.Split(',', StringSplitOptions.TrimEntries)
                .Select(c => Spaces().Split(c))
                .Select(c => (c[0], c[1])),
        ];

    private static uint Number(string text) => uint.Parse(text, CultureInfo.InvariantCulture);

    [GeneratedRegex(
        """^(?<name>\w+) OBJECT-TYPE\s+SYNTAX\s+(?<syntax>.*?)\s+(UNITS\s+"[^"]+"\s+)?MAX-ACCESS\s+(?<access>\S+)\s+STATUS\s+current\s+DESCRIPTION\s+"[^"]+"\s+(INDEX \{[^}]*\}\s+)?::= \{ (?<parent>\w+) (?<number>\d+) \}""",
        RegexOptions.Multiline | RegexOptions.Singleline
    )]
    private static partial Regex ObjectType();

    [GeneratedRegex(
        @"^(?<name>\w+)\s+OBJECT IDENTIFIER ::= \{ (?<parent>\w+) (?<number>\d+) \}",
        RegexOptions.Multiline
    )]
    private static partial Regex Identifier();

    [GeneratedRegex(@"OBJECTS \{(?<names>[^}]*)\}")]
    private static partial Regex Group();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}
