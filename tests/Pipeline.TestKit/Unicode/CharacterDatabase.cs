using System.Globalization;
using System.Text;

namespace Pipeline.TestKit.Unicode;

/// <summary>
/// What the generator of the word-break tables needs of the Unicode Character Database, read from a folder that has the
/// files as Unicode publishes them: auxiliary/WordBreakProperty.txt, Scripts.txt, LineBreak.txt, emoji/emoji-data.txt
/// and UnicodeData.txt.
/// </summary>
public sealed class CharacterDatabase
{
    public const int CodePoints = 0x110000;

    private CharacterDatabase(string version) => Version = version;

    /// <summary>The version in the heading of WordBreakProperty.txt.</summary>
    public string Version { get; }

    /// <summary>The properties of each code point.</summary>
    public CharacterProperties[] Properties { get; } = new CharacterProperties[CodePoints];

    /// <summary>The simple lower-case mapping of each code point; a code point without one maps to itself.</summary>
    public int[] LowerCase { get; } = [.. Enumerable.Range(0, CodePoints)];

    public static CharacterDatabase Read(string folder)
    {
        var wordBreaks = Path.Combine(folder, "auxiliary", "WordBreakProperty.txt");
        var heading = File.ReadLines(wordBreaks).First();
        var database = new CharacterDatabase(heading["# WordBreakProperty-".Length..^".txt".Length]);
        database.Mark(
            wordBreaks,
            value =>
                value switch
                {
                    "ALetter" => CharacterProperties.Letter,
                    "Hebrew_Letter" => CharacterProperties.HebrewLetter,
                    "Numeric" => CharacterProperties.Numeric,
                    "Katakana" => CharacterProperties.Katakana,
                    "ExtendNumLet" => CharacterProperties.ExtendNumLet,
                    "MidLetter" => CharacterProperties.MidLetter,
                    "MidNum" => CharacterProperties.MidNum,
                    "MidNumLet" => CharacterProperties.MidNumLet,
                    "Single_Quote" => CharacterProperties.SingleQuote,
                    "Double_Quote" => CharacterProperties.DoubleQuote,
                    "Regional_Indicator" => CharacterProperties.RegionalIndicator,
                    "Extend" => CharacterProperties.Extend,
                    "Format" => CharacterProperties.Format,
                    "ZWJ" => CharacterProperties.Joiner,
                    _ => default,
                }
        );
        database.Mark(
            Path.Combine(folder, "Scripts.txt"),
            value =>
                value switch
                {
                    "Han" => CharacterProperties.Han,
                    "Hiragana" => CharacterProperties.Hiragana,
                    _ => default,
                }
        );
        database.Mark(
            Path.Combine(folder, "LineBreak.txt"),
            value => value == "SA" ? CharacterProperties.ComplexContext : default
        );
        database.Mark(
            Path.Combine(folder, "emoji", "emoji-data.txt"),
            value =>
                value switch
                {
                    "Emoji" => CharacterProperties.Emoji,
                    "Emoji_Modifier" => CharacterProperties.EmojiModifier,
                    "Emoji_Modifier_Base" => CharacterProperties.EmojiModifierBase,
                    "Extended_Pictographic" => CharacterProperties.ExtendedPictographic,
                    _ => default,
                }
        );
        database.MarkSigns();
        database.ReadUnicodeData(Path.Combine(folder, "UnicodeData.txt"));
        return database;
    }

    private static int Hexadecimal(string text) =>
        int.Parse(text, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private void Mark(string file, Func<string, CharacterProperties> propertyOf)
    {
        foreach (var line in File.ReadLines(file, Encoding.UTF8))
        {
            var fields = line.Split('#')[0].Split(';', StringSplitOptions.TrimEntries);
            if (fields.Length < 2)
                continue;
            var property = propertyOf(fields[1]);
            if (property == default)
                continue;
            var range = fields[0].Split("..");
            for (var c = Hexadecimal(range[0]); c <= Hexadecimal(range[^1]); c++)
                Properties[c] |= property;
        }
    }

    private void MarkSigns()
    {
        foreach (var c in "0123456789#*")
            Properties[c] |= CharacterProperties.KeycapBase;
        foreach (var c in "\u00A9\u00AE\u2122\u3030\u303D")
            Properties[c] |= CharacterProperties.WrittenSign;
        Properties[0x20E3] |= CharacterProperties.Keycap;
        Properties[0xFE0E] |= CharacterProperties.TextSelector;
        Properties[0xFE0F] |= CharacterProperties.EmojiSelector;
        for (var c = 0xE0020; c <= 0xE007E; c++)
            Properties[c] |= CharacterProperties.Tag;
        Properties[0xE007F] |= CharacterProperties.TagEnd;
    }

    private void ReadUnicodeData(string file)
    {
        var rangeStart = -1;
        foreach (var line in File.ReadLines(file, Encoding.UTF8))
        {
            var fields = line.Split(';');
            var codePoint = Hexadecimal(fields[0]);
            if (fields[1].EndsWith("First>", StringComparison.Ordinal))
            {
                rangeStart = codePoint;
                continue;
            }

            for (var c = rangeStart >= 0 ? rangeStart : codePoint; c <= codePoint; c++)
            {
                if (fields[2][0] == 'L')
                    Properties[c] |= CharacterProperties.GeneralLetter;
                if (fields[2] == "Nd" && c is >= 0xFF00 and <= 0xFFEF)
                    Properties[c] |= CharacterProperties.WideDigit;
            }

            if (fields[13].Length > 0)
                LowerCase[codePoint] = Hexadecimal(fields[13]);
            rangeStart = -1;
        }
    }
}
