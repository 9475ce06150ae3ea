using System.Globalization;
using Pipeline.Indexing.Analysis.Filters;
using Pipeline.Indexing.Analysis.Tokenizers;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// The analyzers there are, by name. A name is read without regard to case, dashes, the word Analyzer at its end, a
/// namespace before it and an assembly behind it ("Lucene.Net.Analysis.Standard.StandardAnalyzer, Lucene.Net" is
/// "standard"). Three take arguments: "ngram(3,4)", "stop(le,la,les)", "english(a,the)".
/// </summary>
public static class Analyzers
{
    /// <summary>The shortest part that ngram makes by default (RavenDB's default).</summary>
    public const int DefaultMinGram = 2;

    /// <summary>The longest part that ngram makes by default (RavenDB's default).</summary>
    public const int DefaultMaxGram = 6;

    /// <summary>The longest part that ngram may be asked for.</summary>
    public const int LargestGram = 64;

    /// <summary>
    /// Word breaks of Unicode Standard Annex #29, lower-cased, no stop words: Lucene 9's StandardAnalyzer.
    /// </summary>
    public static Analyzer Standard { get; } = new("standard", new StandardTokenizer());

    /// <summary>Runs of letters, lower-cased.</summary>
    public static Analyzer Simple { get; } = new("simple", RunTokenizer.Letters());

    /// <summary>Runs of characters that are not white space, unchanged.</summary>
    public static Analyzer Whitespace { get; } = new("whitespace", RunTokenizer.NonWhitespace());

    /// <summary>The whole text, unchanged.</summary>
    public static Analyzer Keyword { get; } = new("keyword", new KeywordTokenizer(lowerCase: false));

    /// <summary>The whole text, lower-cased: what fields without an analyzer have.</summary>
    public static Analyzer LowerCaseKeyword { get; } = new("lower-case-keyword", new KeywordTokenizer(lowerCase: true));

    /// <summary>Runs of letters, lower-cased, without Lucene's English stop words.</summary>
    public static Analyzer Stop { get; } = MakeStop("stop", StopWords.English);

    /// <summary>
    /// <see cref="Standard"/> without possessive 's and Lucene's English stop words, each term stemmed by Porter's
    /// algorithm: Lucene 9's EnglishAnalyzer.
    /// </summary>
    public static Analyzer English { get; } = MakeEnglish("english", StopWords.English);

    /// <summary>
    /// The parts of <see cref="DefaultMinGram"/> to <see cref="DefaultMaxGram"/> characters of each word of
    /// <see cref="Standard"/>.
    /// </summary>
    public static Analyzer NGram { get; } = MakeNGram("ngram", DefaultMinGram, DefaultMaxGram);

    /// <summary>The names without arguments, as <see cref="Analyzer.Name"/> gives them.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        Standard.Name,
        Simple.Name,
        Whitespace.Name,
        Keyword.Name,
        LowerCaseKeyword.Name,
        Stop.Name,
        English.Name,
        NGram.Name,
    ];

    /// <summary>The analyzer of a name.</summary>
    /// <exception cref="UnknownAnalyzerException">
    /// No analyzer has the name, or it does not take these arguments.
    /// </exception>
    public static Analyzer Get(string name)
    {
        var open = name.IndexOf('(', StringComparison.Ordinal);
        if (open < 0)
            return Find(name) ?? throw new UnknownAnalyzerException(name, "no analyzer has this name");
        if (!name.EndsWith(')'))
            throw new UnknownAnalyzerException(name, "the arguments have no closing parenthesis");
        var arguments = name[(open + 1)..^1]
            .Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        var basis = Find(name[..open]) ?? throw new UnknownAnalyzerException(name, "no analyzer has this name");
        var fullName = $"{basis.Name}({string.Join(',', arguments)})";
        if (basis == NGram)
            return MakeNGram(fullName, arguments);
        if (basis == Stop)
            return MakeStop(fullName, new StopWords(arguments));
        if (basis == English)
            return MakeEnglish(fullName, new StopWords(arguments));
        throw new UnknownAnalyzerException(name, $"{basis.Name} takes no arguments");
    }

    /// <summary>Says why a name is not that of an analyzer; null if it is.</summary>
    public static string? Problem(string name)
    {
        try
        {
            Get(name);
            return null;
        }
        catch (UnknownAnalyzerException e)
        {
            return e.Problem;
        }
    }

    private static Analyzer? Find(string name)
    {
        var end = name.IndexOf(',', StringComparison.Ordinal);
        var simple = (end < 0 ? name : name[..end]).Trim();
        simple = simple[(simple.LastIndexOf('.') + 1)..].Replace("-", "", StringComparison.Ordinal).ToUpperInvariant();
        if (simple.EndsWith("ANALYZER", StringComparison.Ordinal))
            simple = simple[..^"ANALYZER".Length];
        return simple switch
        {
            "STANDARD" or "RAVENSTANDARD" => Standard,
            "SIMPLE" => Simple,
            "WHITESPACE" => Whitespace,
            "KEYWORD" => Keyword,
            "LOWERCASEKEYWORD" => LowerCaseKeyword,
            "STOP" => Stop,
            "ENGLISH" => English,
            "NGRAM" => NGram,
            _ => null,
        };
    }

    private static Analyzer MakeStop(string name, StopWords words) =>
        new(name, RunTokenizer.Letters(), new StopFilter(words));

    private static Analyzer MakeEnglish(string name, StopWords words) =>
        new(name, new StandardTokenizer(), new PossessiveFilter(), new StopFilter(words), new StemFilter());

    private static Analyzer MakeNGram(string name, string[] arguments)
    {
        if (
            arguments.Length != 2
            || !TryParse(arguments[0], out var min)
            || !TryParse(arguments[1], out var max)
            || min < 1
            || max < min
            || max > LargestGram
        )
        {
            throw new UnknownAnalyzerException(
                name,
                $"ngram takes two numbers, the shortest and the longest part, from 1 to {LargestGram}"
            );
        }

        return MakeNGram(name, min, max);
    }

    private static Analyzer MakeNGram(string name, int min, int max) =>
        new(name, new StandardTokenizer(), new NGramFilter(min, max));

    private static bool TryParse(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
