namespace Pipeline.TestKit.Unicode;

/// <summary>
/// The properties of a code point that word breaks depend on, named as in the Unicode Character Database.
/// </summary>
[Flags]
public enum CharacterProperties
{
    None = 0,
    Letter = 1 << 0,
    HebrewLetter = 1 << 1,
    Numeric = 1 << 2,
    Katakana = 1 << 3,
    ExtendNumLet = 1 << 4,
    MidLetter = 1 << 5,
    MidNum = 1 << 6,
    MidNumLet = 1 << 7,
    SingleQuote = 1 << 8,
    DoubleQuote = 1 << 9,
    RegionalIndicator = 1 << 10,
    Extend = 1 << 11,
    Format = 1 << 12,

    /// <summary>The zero width joiner.</summary>
    Joiner = 1 << 13,
    Han = 1 << 14,
    Hiragana = 1 << 15,

    /// <summary>Line_Break=Complex_Context: Thai, Lao, Khmer, Myanmar and others written without blanks.</summary>
    ComplexContext = 1 << 16,
    Emoji = 1 << 17,
    EmojiModifier = 1 << 18,
    EmojiModifierBase = 1 << 19,
    ExtendedPictographic = 1 << 20,

    /// <summary>A decimal digit of the block Halfwidth and Fullwidth Forms.</summary>
    WideDigit = 1 << 21,

    /// <summary>A letter by its general category (L*).</summary>
    GeneralLetter = 1 << 22,

    /// <summary>What a keycap sequence starts with: 0 to 9, # and *.</summary>
    KeycapBase = 1 << 23,

    /// <summary>U+20E3, which makes a keycap of the character before it.</summary>
    Keycap = 1 << 24,

    /// <summary>U+FE0E, which asks for text and not for a picture.</summary>
    TextSelector = 1 << 25,

    /// <summary>U+FE0F, which asks for a picture.</summary>
    EmojiSelector = 1 << 26,

    /// <summary>U+E0020 to U+E007E, which spell the tag of a subdivision's flag.</summary>
    Tag = 1 << 27,

    /// <summary>U+E007F, which ends a tag.</summary>
    TagEnd = 1 << 28,

    /// <summary>
    /// Emoji that are signs of writing in the first place: copyright, registered, trade mark, wavy dash, part
    /// alternation mark.
    /// </summary>
    WrittenSign = 1 << 29,
}
