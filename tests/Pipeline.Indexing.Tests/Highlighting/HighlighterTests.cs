using System.Text;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Highlighting;
using Xunit;

namespace Pipeline.Indexing.Tests.Highlighting;

public sealed class HighlighterTests
{
    private static readonly HighlightOptions Brackets = new()
    {
        FragmentLength = 40,
        FragmentCount = 2,
        PreTags = ["["],
        PostTags = ["]"],
        Encoding = HighlightEncoding.None,
    };

    [Fact]
    public void A_short_text_is_one_fragment_with_each_place_marked() =>
        Assert.Equal(
            ["The [fox] and the [Fox's] friend, a [FOX]."],
            Highlight(
                "The fox and the Fox's friend, a FOX.",
                Brackets with
                {
                    FragmentLength = 60,
                },
                Terms("fox", "fox's")
            )
        );

    [Fact]
    public void A_fragment_is_cut_at_words_and_lies_evenly_around_the_marks()
    {
        // 18 characters around "target" (6): 6 on each side, cut down to whole words.
        var text = "aaaa bbbb cccc dddd target eeee ffff gggg hhhh";
        Assert.Equal(["dddd [target] eeee"], Highlight(text, Brackets with { FragmentLength = 18 }, Terms("target")));
        Assert.Equal(
            ["cccc dddd [target] eeee ffff"],
            Highlight(text, Brackets with { FragmentLength = 26 }, Terms("target"))
        );
    }

    [Fact]
    public void Room_that_one_side_does_not_need_is_the_other_side_s()
    {
        Assert.Equal(
            ["[target] bbbb cccc dddd"],
            Highlight("target bbbb cccc dddd eeee ffff", Brackets with { FragmentLength = 21 }, Terms("target"))
        );
        Assert.Equal(
            ["cccc dddd eeee [target]"],
            Highlight("aaaa bbbb cccc dddd eeee target", Brackets with { FragmentLength = 21 }, Terms("target"))
        );
    }

    [Fact]
    public void The_fragment_with_the_most_different_terms_comes_first_then_that_with_the_most_places()
    {
        var text = "one xxxx xxxx xxxx xxxx xxxx one one xxxx xxxx xxxx xxxx xxxx one two xxxx xxxx xxxx";
        Assert.Equal(
            ["xxxx [one] [two] xxxx", "xxxx [one] [one] xxxx"],
            Highlight(text, Brackets with { FragmentLength = 18 }, Terms("one", "two"))
        );
        Assert.Equal(
            ["xxxx [one] [two] xxxx"],
            Highlight(text, Brackets with { FragmentLength = 18, FragmentCount = 1 }, Terms("one", "two"))
        );
    }

    [Fact]
    public void Fragments_do_not_overlap()
    {
        var text = string.Join(' ', Enumerable.Range(0, 40).Select(i => i % 4 == 0 ? "hit" : $"w{i:00}"));
        var fragments = Highlight(text, Brackets with { FragmentLength = 30, FragmentCount = 20 }, Terms("hit"));
        Assert.All(fragments, f => Assert.True(f.Replace("[", "").Replace("]", "").Length <= 30, f));
        Assert.Equal(10, fragments.Sum(f => f.Count(c => c == '[')));
        Assert.Equal(
            fragments.SelectMany(f => f.Split(' ')).Where(w => w[0] == 'w').Distinct().Count(),
            fragments.SelectMany(f => f.Split(' ')).Count(w => w[0] == 'w')
        );
    }

    [Fact]
    public void Several_values_of_a_field_compete() =>
        Assert.Equal(
            ["red [green] [blue]", "[green]"],
            Highlighter.Highlight(
                ["nothing", "green", "red green blue"],
                Analyzers.Standard,
                Terms("green", "blue"),
                Brackets,
                new TokenBuffer()
            )
        );

    [Fact]
    public void Prefixes_and_kinds_mark_what_they_match()
    {
        var terms = new HighlightTerms();
        terms.AddPrefix("run"u8);
        terms.AddKind(term => term.EndsWith("ing"u8));
        Assert.Equal(
            ["[runs], [running] and [walking], not a walk"],
            Highlight("runs, running and walking, not a walk", Brackets, terms)
        );
    }

    [Theory]
    [InlineData(0, "[new] [york] a new x york b york new c new x x york")]
    [InlineData(1, "[new] [york] a [new] x [york] b york new c new x x york")]
    [InlineData(2, "[new] [york] a [new] x [york] b [york] [new] c [new] x x [york]")]
    public void Terms_of_a_phrase_are_marked_only_together(int slop, string marked)
    {
        var terms = new HighlightTerms();
        terms.AddPhrase(Phrase("new", "york"), slop);
        Assert.Equal(
            [marked],
            Highlight("new york a new x york b york new c new x x york", Brackets with { FragmentLength = 100 }, terms)
        );
    }

    [Fact]
    public void A_phrase_keeps_the_place_of_a_stop_word()
    {
        var terms = new HighlightTerms();
        terms.AddPhrase([("king"u8.ToArray(), 0), ("spain"u8.ToArray(), 2)]);
        var options = Brackets with { FragmentLength = 100 };
        Assert.Equal(
            ["[kings] of [Spain]; king Spain"],
            Highlighter.Highlight(["kings of Spain; king Spain"], Analyzers.English, terms, options, new TokenBuffer())
        );
    }

    [Fact]
    public void Tags_go_by_the_number_of_the_term_and_begin_again()
    {
        var options = Brackets with { PreTags = ["<1>", "<2>"], PostTags = ["</1>", "</2>"] };
        Assert.Equal(["<1>a</1> <2>b</2> <1>c</1>"], Highlight("a b c", options, Terms("a", "b", "c")));
    }

    [Fact]
    public void By_default_the_text_is_encoded_as_HTML_and_the_tags_are_not()
    {
        var fragments = Highlight(
            "<script>alert('x')</script> & \"caf\u00E9\"",
            new HighlightOptions(),
            Terms("alert")
        );
        Assert.Equal(
            [
                "&lt;script&gt;<b style=\"background:yellow\">alert</b>(&#39;x&#39;)&lt;/script&gt; &amp; &quot;caf\u00E9&quot;",
            ],
            fragments
        );
    }

    [Fact]
    public void Offsets_are_right_behind_characters_of_several_bytes() =>
        Assert.Equal(
            ["\u00E9t\u00E9 \U0001F600 \u4E2D[\u6587] [caf\u00C9]"],
            Highlight("\u00E9t\u00E9 \U0001F600 \u4E2D\u6587 caf\u00C9", Brackets, Terms("\u6587", "caf\u00E9"))
        );

    [Fact]
    public void Parts_of_a_word_mark_it_once()
    {
        var terms = Terms("ab", "bc");
        Assert.Equal(
            ["[abc] xyz [Abd]"],
            Highlighter.Highlight(["abc xyz Abd"], Analyzers.NGram, terms, Brackets, new TokenBuffer())
        );
    }

    [Fact]
    public void Nothing_found_and_nothing_sought_give_no_fragments()
    {
        Assert.Empty(Highlight("some text", Brackets, Terms("other")));
        Assert.Empty(Highlight("some text", Brackets, new HighlightTerms()));
    }

    [Fact]
    public void A_word_that_is_longer_than_a_fragment_stays_whole()
    {
        var word = new string('x', 50);
        Assert.Equal([$"[{word}]"], Highlight($"a {word} b", Brackets with { FragmentLength = 20 }, Terms(word)));
    }

    [Theory]
    [InlineData(17, 1)]
    [InlineData(18, 0)]
    public void Options_out_of_range_are_refused(int length, int count) =>
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            Highlight("a", Brackets with { FragmentLength = length, FragmentCount = count }, Terms("a"))
        );

    private static IReadOnlyList<string> Highlight(string text, HighlightOptions options, HighlightTerms terms) =>
        Highlighter.Highlight([text], Analyzers.Standard, terms, options, new TokenBuffer());

    private static HighlightTerms Terms(params string[] terms)
    {
        var sought = new HighlightTerms();
        foreach (var term in terms)
            sought.AddTerm(Encoding.UTF8.GetBytes(term));
        return sought;
    }

    private static (ReadOnlyMemory<byte>, int)[] Phrase(params string[] terms) =>
        [.. terms.Select((t, i) => ((ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(t), i))];
}
