using System.Text;
using Pipeline.Indexing.Analysis;
using Pipeline.TestKit.Indexing;
using Xunit;

namespace Pipeline.Indexing.Tests.Analysis;

public sealed class AnalyzerTests
{
    [Theory]
    [InlineData("standard", "The Quick-Brown fox's 3.14", "the quick brown fox's 3.14")]
    [InlineData("simple", "The Quick-Brown fox's 3.14", "the quick brown fox s")]
    [InlineData("whitespace", "The Quick-Brown fox's 3.14", "The Quick-Brown fox's 3.14")]
    [InlineData("keyword", "The Quick-Brown", "The Quick-Brown")]
    [InlineData("lower-case-keyword", "The Quick-BROWN \u00C9", "the quick-brown \u00E9")]
    [InlineData("stop", "The Quick and the Dead", "quick dead")]
    [InlineData("stop(Quick, dead)", "The Quick and the Dead", "the and the")]
    [InlineData("english", "The runner's dogs are running", "runner dog run")]
    [InlineData("english(dogs)", "The runner's dogs are running", "the runner ar run")]
    [InlineData("ngram(2,3)", "Fox is \u00E9t\u00E9", "fo fox ox is \u00E9t \u00E9t\u00E9 t\u00E9")]
    [InlineData("ngram", "abc", "ab abc bc")]
    public void Terms(string analyzer, string text, string terms) =>
        Assert.Equal(terms, AnalyzedText.Of(Analyzers.Get(analyzer), text).Terms);

    [Theory]
    [InlineData("StandardAnalyzer", "standard")]
    [InlineData("Lucene.Net.Analysis.Standard.StandardAnalyzer", "standard")]
    [InlineData("Lucene.Net.Analysis.Standard.StandardAnalyzer, Lucene.Net", "standard")]
    [InlineData("RavenStandardAnalyzer", "standard")]
    [InlineData("Lucene.Net.Analysis.WhitespaceAnalyzer", "whitespace")]
    [InlineData("KeywordAnalyzer", "keyword")]
    [InlineData("LowerCaseKeywordAnalyzer", "lower-case-keyword")]
    [InlineData("SimpleAnalyzer", "simple")]
    [InlineData("StopAnalyzer", "stop")]
    [InlineData("NGramAnalyzer", "ngram")]
    [InlineData("EnglishAnalyzer", "english")]
    [InlineData("Lower-Case-Keyword", "lower-case-keyword")]
    [InlineData("NGramAnalyzer( 3, 4 )", "ngram(3,4)")]
    [InlineData("Lucene.Net.Analysis.StopAnalyzer(le,la)", "stop(le,la)")]
    public void An_analyzer_is_found_by_all_its_names(string given, string name)
    {
        Assert.Equal(name, Analyzers.Get(given).Name);
        Assert.Equal(name, Analyzers.Get(name).Name);
    }

    [Theory]
    [InlineData("")]
    [InlineData("klingon")]
    [InlineData("standard(1)")]
    [InlineData("ngram(3)")]
    [InlineData("ngram(3,2)")]
    [InlineData("ngram(0,2)")]
    [InlineData("ngram(1,65)")]
    [InlineData("ngram(1,2")]
    public void An_analyzer_that_is_not_there_is_an_error_with_the_names(string name)
    {
        var error = Assert.Throws<UnknownAnalyzerException>(() => Analyzers.Get(name));
        Assert.Equal(name, error.Name);
        Assert.Contains("standard, simple", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(1000)]
    public void Batches_leave_no_seam(int words)
    {
        var text = string.Join(' ', Enumerable.Range(0, words).Select(i => i % 3 == 0 ? "the" : $"w{i}"));
        var tokens = AnalyzedText.Of(Analyzers.Get("english"), text);
        var position = -1;
        foreach (var token in tokens.Tokens)
        {
            position += token.Increment;
            Assert.Equal($"w{position}", token.Term);
        }

        Assert.Equal(words - words / 3 - (words % 3 == 0 ? 0 : 1), tokens.Tokens.Count);
        Assert.Equal(words - 1 - position, tokens.SkippedAtEnd);
    }

    [Fact]
    public void Ill_formed_bytes_are_replacement_characters()
    {
        byte[] text = [(byte)'a', 0xC3, (byte)' ', (byte)'b', 0xED, 0xA0, 0x80, (byte)'C', 0xF0, 0x9F];
        Assert.Equal(
            new AnalyzedText([new("a", 1, 0, 1), new("b", 1, 3, 4), new("c", 1, 7, 8)], 0),
            AnalyzedText.Of(Analyzers.Standard, text)
        );
        Assert.Equal("a\uFFFD b\uFFFD\uFFFD\uFFFDC\uFFFD", AnalyzedText.Of(Analyzers.Keyword, text).Terms);
        Assert.Equal("a\uFFFD b\uFFFD\uFFFD\uFFFDc\uFFFD", AnalyzedText.Of(Analyzers.LowerCaseKeyword, text).Terms);
    }

    /// <summary>U+023A takes two bytes and its lower case three; U+212A takes three and its lower case one.</summary>
    [Fact]
    public void Lower_case_may_be_longer_or_shorter()
    {
        var text = string.Concat(Enumerable.Repeat("\u023A", 200)) + " \u212Aelvin";
        Assert.Equal(
            string.Concat(Enumerable.Repeat("\u2C65", 200)) + " kelvin",
            AnalyzedText.Of(Analyzers.Standard, text).Terms
        );
    }

    [Fact]
    public void Normalize_lower_cases_where_the_analyzer_does()
    {
        var buffer = new TokenBuffer();
        Assert.Equal("fo\u00E9 b", Encoding.UTF8.GetString(Analyzers.Standard.Normalize("FO\u00C9 B"u8, buffer)));
        Assert.Equal("FO\u00C9 B", Encoding.UTF8.GetString(Analyzers.Whitespace.Normalize("FO\u00C9 B"u8, buffer)));
    }

    [Fact]
    public void Foreach_goes_over_the_tokens()
    {
        var terms = new List<string>();
        foreach (var token in Analyzers.Standard.Tokens("One two"u8, new TokenBuffer()))
            terms.Add(Encoding.UTF8.GetString(token.Term));
        Assert.Equal(["one", "two"], terms);
    }

    [Theory]
    [InlineData("standard")]
    [InlineData("simple")]
    [InlineData("whitespace")]
    [InlineData("lower-case-keyword")]
    [InlineData("english")]
    [InlineData("ngram")]
    public void A_used_buffer_makes_nothing_new(string name)
    {
        var analyzer = Analyzers.Get(name);
        var buffer = new TokenBuffer();
        var texts = AdversarialTexts.Written.Select(Encoding.UTF8.GetBytes).ToArray();
        Count();
        var before = GC.GetAllocatedBytesForCurrentThread();
        var tokens = Count();
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(tokens > 50);

        long Count()
        {
            var count = 0L;
            foreach (var text in texts)
            {
                foreach (var token in analyzer.Tokens(text, buffer))
                    count += token.Term.Length > 0 ? 1 : 0;
            }

            return count;
        }
    }
}
