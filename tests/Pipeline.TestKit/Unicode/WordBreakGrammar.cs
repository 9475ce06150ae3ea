namespace Pipeline.TestKit.Unicode;

/// <summary>
/// Tokens as Lucene 9's StandardTokenizer defines them. They are the segments made by the word-boundary rules of
/// Unicode Standard Annex #29 that hold a letter, a digit, a kana, an ideograph or a character of a script without
/// blanks (each run of those is one token). The emoji sequences of Unicode Technical Standard #51 are tokens too. A
/// token is the longest string of this language from the end of the last one.
/// </summary>
public sealed class WordBreakGrammar
{
    private const CharacterProperties Ignorable =
        CharacterProperties.Format | CharacterProperties.Extend | CharacterProperties.Joiner;

    private const CharacterProperties Selector = CharacterProperties.TextSelector | CharacterProperties.EmojiSelector;

    private readonly List<CharacterProperties> _atoms;

    /// <param name="atoms">The combinations of properties that occur; each is a symbol of the language.</param>
    public WordBreakGrammar(IReadOnlyCollection<CharacterProperties> atoms)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(atoms.Count, 64);
        _atoms = [.. atoms];
        Language = Words()
            .Or(Emoji())
            .Or(Keycaps())
            .Or(Flags())
            .Or(WithIgnorable(CharacterProperties.ComplexContext).Some())
            .Or(WithIgnorable(CharacterProperties.Han))
            .Or(WithIgnorable(CharacterProperties.Hiragana));
    }

    public RegularLanguage Language { get; }

    /// <summary>
    /// WB5 to WB13b, with WB4 (marks and format characters belong to the character before them) within each element.
    /// </summary>
    private RegularLanguage Words()
    {
        var letter = WithIgnorable(CharacterProperties.Letter | CharacterProperties.HebrewLetter);
        var hebrew = WithIgnorable(CharacterProperties.HebrewLetter);
        var number = WithIgnorable(CharacterProperties.Numeric | CharacterProperties.WideDigit);
        var katakana = WithIgnorable(CharacterProperties.Katakana);
        var connector = WithIgnorable(CharacterProperties.ExtendNumLet);
        var inWord = WithIgnorable(
            CharacterProperties.MidLetter | CharacterProperties.MidNumLet | CharacterProperties.SingleQuote
        );
        var inNumber = WithIgnorable(
            CharacterProperties.MidNum | CharacterProperties.MidNumLet | CharacterProperties.SingleQuote
        );
        var quote = WithIgnorable(CharacterProperties.SingleQuote);
        var doubleQuote = WithIgnorable(CharacterProperties.DoubleQuote);

        var lettersAndNumbers = hebrew
            .Then(quote.Or(doubleQuote.Then(hebrew)))
            .Or(Joined(number, inNumber, connector))
            .Or(Joined(letter, inWord, connector))
            .Some();
        var group = katakana.Then(connector.Many().Then(katakana).Many()).Or(lettersAndNumbers);
        return connector.Many().Then(group).Then(connector.Some().Then(group).Many()).Then(connector.Many());
    }

    /// <summary>Elements side by side, or with connectors or one joining character between them.</summary>
    private static RegularLanguage Joined(RegularLanguage element, RegularLanguage joiner, RegularLanguage connector) =>
        element.Then(connector.Many().Or(joiner).Then(element).Many());

    /// <summary>Emoji with selectors, skin tones, joiners, and the tags of subdivision flags.</summary>
    private RegularLanguage Emoji()
    {
        const CharacterProperties notAlone =
            CharacterProperties.RegionalIndicator
            | CharacterProperties.KeycapBase
            | CharacterProperties.WrittenSign
            | CharacterProperties.EmojiModifier;
        var marks = Marks();
        var joiner = Symbols(p => p.HasFlag(CharacterProperties.Joiner));
        var picture = Symbols(p =>
            p.HasFlag(CharacterProperties.ExtendedPictographic)
            || (p.HasFlag(CharacterProperties.Emoji) && (p & notAlone) == 0)
        );
        var modifier = Symbols(p => p.HasFlag(CharacterProperties.EmojiModifier));
        var modified = Symbols(p => p.HasFlag(CharacterProperties.EmojiModifierBase));
        var selector = Symbols(p => p.HasFlag(CharacterProperties.EmojiSelector));
        var tag = Symbols(p => p.HasFlag(CharacterProperties.Tag));
        var tagEnd = Symbols(p => p.HasFlag(CharacterProperties.TagEnd));

        var element = joiner
            .Many()
            .Then(picture)
            .Then(marks)
            .Then(selector.Optional())
            .Or(joiner.Many().Then(modified).Then(marks).Optional().Then(modifier).Then(marks));
        return element.Then(joiner.Then(element).Many().Or(tag.Some().Then(tagEnd)));
    }

    private RegularLanguage Keycaps() =>
        Symbols(p => p.HasFlag(CharacterProperties.KeycapBase))
            .Then(Marks())
            .Then(Symbols(p => p.HasFlag(CharacterProperties.EmojiSelector)).Optional())
            .Then(Symbols(p => p.HasFlag(CharacterProperties.Keycap)))
            .Then(Marks());

    private RegularLanguage Flags()
    {
        var indicator = WithIgnorable(CharacterProperties.RegionalIndicator);
        return indicator.Then(indicator);
    }

    /// <summary>
    /// Marks and format characters except the two selectors, which have a special meaning after an emoji.
    /// </summary>
    private RegularLanguage Marks() => Symbols(p => (p & Ignorable) != 0 && (p & Selector) == 0).Many();

    private RegularLanguage WithIgnorable(CharacterProperties any) =>
        Symbols(p => (p & any) != 0).Then(Symbols(p => (p & Ignorable) != 0).Many());

    private RegularLanguage Symbols(Func<CharacterProperties, bool> belongs)
    {
        var symbols = 0UL;
        for (var i = 0; i < _atoms.Count; i++)
        {
            if (belongs(_atoms[i]))
                symbols |= 1UL << i;
        }

        return RegularLanguage.Of(symbols);
    }
}
