using System.Text;

namespace Pipeline.TestKit.Indexing;

/// <summary>
/// Texts on which analyzers differ: each word-boundary rule, each script with special rules, emoji, limits.
/// </summary>
public static class AdversarialTexts
{
    /// <summary>
    /// A character for each class of the word-break rules, and others that are easily confused: the alphabet of
    /// <see cref="Random"/>.
    /// </summary>
    private static readonly string[] Alphabet =
    [
        "a",
        "B",
        "z",
        "0",
        "7",
        "_",
        "'",
        "\"",
        ".",
        ",",
        ":",
        ";",
        " ",
        "\n",
        "-",
        "#",
        "*",
        "@",
        "s",
        "\u00E9",
        "\u0130",
        "\u212A",
        "\u00DF",
        "\u01C5",
        "\u03A3",
        "\u0414",
        "\u0301",
        "\u00AD",
        "\u200D",
        "\u200C",
        "\u2019",
        "\u2018",
        "\uFF07",
        "\u00B7",
        "\u2024",
        "\uFF0E",
        "\u203F",
        "\uFF3F",
        "\u05D0",
        "\u05EA",
        "\u05F4",
        "\u05F3",
        "\u0645",
        "\u0661",
        "\u066B",
        "\u060C",
        "\u0915",
        "\u093F",
        "\u0E01",
        "\u0E34",
        "\u0E50",
        "\u0EA5",
        "\u1019",
        "\u17A2",
        "\uAC00",
        "\u1100",
        "\u1161",
        "\u11A8",
        "\u3131",
        "\u3042",
        "\u3099",
        "\u30A2",
        "\u30FC",
        "\uFF71",
        "\uFF9E",
        "\u3031",
        "\u309B",
        "\u4E2D",
        "\u3007",
        "\u3005",
        "\U00020000",
        "\uFF11",
        "\uFF21",
        "\u2460",
        "\u00BD",
        "\u2160",
        "\u20E3",
        "\uFE0E",
        "\uFE0F",
        "\u00A9",
        "\u2122",
        "\u3030",
        "\u303D",
        "\u263A",
        "\u2764",
        "\u261D",
        "\U0001F600",
        "\U0001F468",
        "\U0001F469",
        "\U0001F3FB",
        "\U0001F3FF",
        "\U0001F1E9",
        "\U0001F1EA",
        "\U0001F3F4",
        "\U000E0067",
        "\U000E0062",
        "\U000E007F",
        "\U0001F308",
        "\u2640",
        "\U00010400",
        "\U0001D400",
        "\U0001D7D8",
        "\uFFFD",
        "\uFFFC",
        "\u200B",
        "\u2060",
        "\uFEFF",
        "\u180E",
        "\u0085",
        "\u2028",
        "\0",
        "\U000F0000",
    ];

    /// <summary>Texts written by hand.</summary>
    public static IReadOnlyList<string> Written { get; } =
    [
        "",
        " ",
        ".",
        "'",
        "a",
        "A",
        "The quick brown fox",
        "O'Neill's and the dog's bone, can't, rock 'n' roll, 'quoted'",
        "Bob@example.com visits http://example.com/a_b?q=1",
        "3.14 1,000,000.50 1;2 1:2 1'2 1.a a.1 .5 5. v1.2.3-rc.4 $100 50% 0x1F 1e-9",
        "a.b a:b a,b a;b a'b a-b a_b _a_ __ _ _1_ a__b _.a a._ a'",
        "U.S.A. C# C++ .NET 9.0 R&D AT&T x86_64",
        "foo\"bar \"quoted\"",
        "tab\tnew\nline\r\nfeed\ffile\u001Cnext\u0085line\u2028sep\u00A0nbsp\u2007fig\u202Fnarrow\u3000ideographic",
        "caf\u00E9 cafe\u0301 CAF\u00C9 na\u00EFve r\u00E9sum\u00E9 \u0130stanbul I\u015EIK \u0131 stra\u00DFe STRA\u1E9EE \u212Aelvin \u2126 \u00C5 \u01C4 \u01C5",
        "soft\u00ADhyphen zero\u200Bwidth word\u2060joiner bom\uFEFFinside \uFEFFfirst",
        "it\u2019s John\u2019s \u2018single\u2019 \u201Cdouble\u201D dogs\uFF07s l\u00B7l a\u2024b a\u2027b",
        "\u039F\u0394\u03A5\u03A3\u03A3\u0395\u03A5\u03A3 \u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2 \u1F08\u1F61",
        "\u041C\u043E\u0441\u043A\u0432\u0430 \u0401\u043B\u043A\u0430 \u0439\u0438\u0306 \u0413\u0407\u0412",
        "\u05E9\u05DC\u05D5\u05DD \u05E6\u05D4\u05F4\u05DC \u05E6\u05D4\"\u05DC \u05D2'\u05D5\u05E8\u05D2' \u05D9\u05F3 \u05D0'",
        "\u0627\u0644\u0639\u064E\u0631\u064E\u0628\u0650\u064A\u0651\u064E\u0629\u060C \u0661\u0662\u066B\u0663\u0664 \u06F1\u06F2 \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
        "\u0939\u093F\u0928\u094D\u0926\u0940 \u0915\u094D\u200D\u0937 \u0967\u0968\u0969 \u09AC\u09BE\u0982\u09B2\u09BE \u0BA4\u0BAE\u0BBF\u0BB4\u0BCD",
        "\u0E20\u0E32\u0E29\u0E32\u0E44\u0E17\u0E22 \u0E01\u0E33 \u0E51\u0E52 a\u0E01b 1\u0E011 \u0EA5\u0EB2\u0EA7 \u1019\u103C\u1014\u103A\u1019\u102C \u1781\u17D2\u1798\u17C2\u179A",
        "\uD55C\uAD6D\uC5B4 \u1112\u1161\u11AB\u1100\u116E\u11A8 \uD55C\u56FD \uD55Cabc1 \u3131\u314F",
        "\u4E2D\u6587\u5B57\u7B26 \u4E2Da\u6587 \u4E2D\u0301\u6587 \u3007\u3005\u3006 \U00020000\U0002A6D6 \uF900",
        "\u3072\u3089\u304C\u306A \u304B\u3099 \u3042\u30FC \u309D\u309F",
        "\u30AB\u30BF\u30AB\u30CA \uFF76\uFF80\uFF76\uFF85 \u30B3\u30FC\u30D2\u30FC \u30AB_\u30AB \u30ABa a\u30AB \u30AB1 \u32D0 \u30A1\u3099",
        "\u65E5\u672C\u8A9E\u306E\u30C6\u30AD\u30B9\u30C8\u3001ABC\u3068123\u3002\uFF21\uFF22\uFF23\uFF11\uFF12\uFF13\uFF0E\uFF14",
        "\U0001F600 \U0001F600\U0001F600 a\U0001F600b \u263A\uFE0F \u263A\uFE0E \u263A \u2764\uFE0F\u200D\U0001F525",
        "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466 \U0001F469\U0001F3FD\u200D\U0001F4BB \u261D\U0001F3FF \U0001F3FB \u200D\U0001F600 \U0001F600\u200D a\u200D\U0001F600",
        "\U0001F1E9\U0001F1EA \U0001F1E9\U0001F1EA\U0001F1EB \U0001F1E9 \U0001F1E9\u200D\U0001F1EA \U0001F1E9a",
        "1\uFE0F\u20E3 #\u20E3 *\uFE0F\u20E3 1\u20E3 a1\u20E3 12\uFE0F\u20E3 #a *b # * ## **x** #tag",
        "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F \U0001F3F4\U000E0067\U000E0062 \U000E0067\U000E007F",
        "\u00A9 \u00AE \u2122 \u00A9\uFE0F \u3030 \u303D\uFE0F \u2139 \u24C2 \u3297",
        "\u0301 \u0301a a\u0301\u0302\u0303b 1\u0301.\u03012 a'\u0301b _\u0301a \u093F",
        "\U00010400\U00010428 \U0001D400\U0001D7D8 \U0001F1E6 \U000F0000 \U0010FFFF \uFFFF \uFFFC",
        "\u2160\u2170 \u2460 \u24B6\u24D0 \u00BD \u00B2 \u00AA\u00BA \u0345 \u1FBC",
        "\u13A0\uAB70 \u10A0\u2D00 \u1C90\u10D0 \uA64A\u1C88 \u0531\u0561 \u2C00\u2C30 \u1E900 \U0001E900\U0001E922 \U00010C80\U00010CC0 \U000118A0\U000118C0",
        "running runs ran runner's flies dies tied agreed hopping falling filing sensational relational conditional rationalization generically happiness formality adoption controlling rolled y yes syzygy sky skies news ions",
        new string('a', 254),
        new string('a', 255),
        new string('A', 256),
        new string('b', 600),
        new string('a', 254) + ".b",
        new string('a', 253) + ".b",
        new string('a', 252) + ".b c",
        new string('1', 254) + ",2",
        new string('a', 254) + "\u0301\u0302",
        new string('a', 253) + "\U00010400x",
        new string('a', 254) + "\U00010400x",
        new string('_', 300) + "a",
        new string('_', 254) + "a",
        new string('_', 255) + "a",
        new string('\u30AB', 300),
        new string('\u0E01', 300),
        new string('\u00C9', 300),
        string.Concat(Enumerable.Repeat("\U00010400", 200)),
        string.Concat(Enumerable.Repeat("\U0001F468\u200D", 100)),
        string.Concat(Enumerable.Repeat("ab.", 120)),
        string.Concat(Enumerable.Repeat("a\u0301", 200)) + " end",
        new string('(', 300) + "x",
        "-" + new string('x', 255) + "y",
        string.Concat(Enumerable.Repeat("word ", 300)),
        string.Concat(Enumerable.Repeat("the ", 600)) + "end of the",
        "to be or not to be",
        "the",
    ];

    /// <summary>
    /// Sequences of up to 14 characters of the alphabet. One in 16 begins with a long run, so that the limit of 255, or
    /// twice that, falls inside it.
    /// </summary>
    public static IEnumerable<string> Random(int seed, int count)
    {
        var random = new Random(seed);
        for (var n = 0; n < count; n++)
        {
            var text = new StringBuilder();
            if (n % 16 == 0)
                text.Insert(0, Alphabet[random.Next(Alphabet.Length)], random.Next(240, 258) * random.Next(1, 3));
            for (var left = random.Next(1, 15); left > 0; left--)
                text.Append(Alphabet[random.Next(Alphabet.Length)]);
            yield return text.ToString();
        }
    }

    /// <summary>A code point alone, doubled, and between letters, digits and Katakana.</summary>
    public static string Around(int codePoint)
    {
        var c = char.ConvertFromUtf32(codePoint);
        return $"{c} {c}{c} a{c}b 1{c}2 \u30AB{c}\u30AB a{c}1 \u05D0{c}\u05D0 \U0001F600{c}\U0001F600";
    }
}
