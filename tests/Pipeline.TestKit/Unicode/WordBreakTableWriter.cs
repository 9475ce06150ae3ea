using System.Globalization;
using System.Text;

namespace Pipeline.TestKit.Unicode;

/// <summary>
/// Writes engine/Pipeline.Indexing/Analysis/Unicode/UnicodeTables.Generated.cs from the Unicode Character Database.
/// </summary>
public static class WordBreakTableWriter
{
    /// <summary>
    /// The most classes that the tables can hold: a class has 5 bits, next to the bits "letter" and "has a lower case".
    /// </summary>
    private const int MaxClasses = 32;

    public static string Write(CharacterDatabase database)
    {
        // A separate bit marks general letters, so they need no class.
        var atoms = database.Properties.Select(p => p & ~CharacterProperties.GeneralLetter).Distinct().ToList();
        var automaton = new WordBreakGrammar(atoms).Language.ToAutomaton(atoms.Count, out var firstAccepting);
        var states = automaton.GetLength(0);

        // Atoms that the automaton never distinguishes form one class. Class 0 holds the characters that are in no
        // token.
        var columns = atoms
            .Select((_, a) => string.Join(',', Enumerable.Range(0, states).Select(s => automaton[s, a])))
            .ToList();
        var classes = columns
            .Distinct()
            .OrderByDescending(c => c == columns[atoms.IndexOf(CharacterProperties.None)])
            .ToList();
        if (classes.Count > MaxClasses)
            throw new InvalidOperationException($"{classes.Count} classes; the tables have room for {MaxClasses}");
        var classOfAtom = atoms
            .Select((atom, a) => (atom, Class: classes.IndexOf(columns[a])))
            .ToDictionary(p => p.atom, p => p.Class);

        var transitions = new List<int>();
        for (var s = 0; s < states; s++)
        {
            for (var c = 0; c < MaxClasses; c++)
                transitions.Add(c < classes.Count ? automaton[s, columns.IndexOf(classes[c])] : 0);
        }

        var text = new StringBuilder();
        text.Append(
            CultureInfo.InvariantCulture,
            $$"""
            // Generated from the Unicode Character Database by Pipeline.TestKit.Unicode.WordBreakTableWriter; not to be edited.
            // PIPELINE_UCD=folder dotnet test tests/Pipeline.Indexing.Tests --filter UnicodeTablesTests writes it anew.
            // The data are facts of Unicode, Inc.; see https://www.unicode.org/terms_of_use.html.

            namespace Pipeline.Indexing.Analysis.Unicode;

            internal static partial class UnicodeTables
            {
                /// <summary>The version of the word-break, script, line-break and emoji properties.</summary>
                public const string Version = "{{database.Version}}";

                /// <summary>The first accepting state of the automaton; 0 is the dead state, 1 the start.</summary>
                public const int FirstAccepting = {{firstAccepting}};

                /// <summary>Runs of code points of equal class from U+0000 on: pairs of class (32 more for a letter) and length, seven bits a byte.</summary>
                private static ReadOnlySpan<byte> ClassRuns =>
                [
            {{Numbers(ClassRuns(database, classOfAtom))}}
                ];

                /// <summary>The automaton: [state * 32 + class] → state.</summary>
                internal static ReadOnlySpan<byte> Transitions =>
                [
            {{Numbers(transitions)}}
                ];

                /// <summary>
                /// Runs of code points whose lower case is the same distance away: gap from the last run's last code point, number, step between them, and
                /// distance with its sign in the lowest bit; seven bits a byte.
                /// </summary>
                private static ReadOnlySpan<byte> LowerCaseRuns =>
                [
            {{Numbers(LowerCaseRuns(database.LowerCase))}}
                ];
            }

            """
        );
        return text.ToString();
    }

    private static List<int> ClassRuns(CharacterDatabase database, Dictionary<CharacterProperties, int> classOfAtom)
    {
        var bytes = new List<int>();
        for (int start = 0, end; start < CharacterDatabase.CodePoints; start = end)
        {
            var value = Class(start);
            for (end = start + 1; end < CharacterDatabase.CodePoints && Class(end) == value; )
                end++;
            bytes.Add(value);
            AddVarint(bytes, end - start);
        }

        return bytes;

        int Class(int codePoint)
        {
            var properties = database.Properties[codePoint];
            return classOfAtom[properties & ~CharacterProperties.GeneralLetter]
                + (properties.HasFlag(CharacterProperties.GeneralLetter) ? MaxClasses : 0);
        }
    }

    private static List<int> LowerCaseRuns(int[] lowerCase)
    {
        var bytes = new List<int>();
        var last = 0;
        for (var start = 0; start < lowerCase.Length; )
        {
            var distance = lowerCase[start] - start;
            if (distance == 0)
            {
                start++;
                continue;
            }

            bool Same(int codePoint) => codePoint < lowerCase.Length && lowerCase[codePoint] - codePoint == distance;
            var step = Same(start + 2) && !Same(start + 1) && lowerCase[start + 1] == start + 1 ? 2 : 1;
            var count = 1;
            while (
                Same(start + (count * step))
                && (step == 1 || lowerCase[start + (count * step) - 1] == start + (count * step) - 1)
            )
            {
                count++;
            }

            AddVarint(bytes, start - last);
            AddVarint(bytes, count);
            AddVarint(bytes, step);
            AddVarint(bytes, (Math.Abs(distance) << 1) | (distance < 0 ? 1 : 0));
            last = start + ((count - 1) * step);
            start = last + 1;
        }

        return bytes;
    }

    private static void AddVarint(List<int> bytes, int value)
    {
        for (; value >= 0x80; value >>= 7)
            bytes.Add((value & 0x7F) | 0x80);
        bytes.Add(value);
    }

    /// <summary>The numbers in lines of at most 140 characters.</summary>
    private static string Numbers(List<int> values)
    {
        var lines = new StringBuilder();
        var line = new StringBuilder();
        foreach (var number in values.Select(v => v.ToString(CultureInfo.InvariantCulture) + ","))
        {
            if (line.Length + number.Length > 130)
            {
                lines.Append("        ").Append(line.ToString().TrimEnd()).Append('\n');
                line.Clear();
            }

            line.Append(number).Append(' ');
        }

        return lines.Append("        ").Append(line.ToString().TrimEnd()).ToString();
    }
}
