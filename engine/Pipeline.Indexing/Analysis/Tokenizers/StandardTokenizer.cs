using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Pipeline.Indexing.Analysis.Unicode;

namespace Pipeline.Indexing.Analysis.Tokenizers;

/// <summary>
/// Words by the boundaries of Unicode Standard Annex #29, lower-cased, as Lucene 9's StandardTokenizer and
/// LowerCaseFilter give them: words, numbers, runs of Hangul, Katakana or a script without blanks, single ideographs
/// and Hiragana, whole emoji sequences; all else is between tokens. ASCII words are found 16 bytes at a time; the
/// automaton of <see cref="UnicodeTables"/> reads tokens that contain other characters.
/// </summary>
internal sealed class StandardTokenizer() : Tokenizer(lowerCase: true)
{
    /// <summary>
    /// The longest word that is read without the automaton, which alone keeps the limit: two bytes that decide about
    /// the end lie within it, too.
    /// </summary>
    private const int MaxFastBytes = MaxTokenUnits - 2;

    /// <summary>Room behind a word's bytes that whole vectors may be stored to.</summary>
    private const int Slack = 16;

    private const byte Between = 0;
    private const byte Letter = 1;
    private const byte Digit = 2;

    /// <summary>
    /// Characters that send a word to the automaton: non-ASCII, connectors (_), and those that can begin a keycap (#,
    /// *).
    /// </summary>
    private const byte Other = 3;

    /// <summary>Set for characters that join two letters, or two digits, into one word.</summary>
    private const byte JoinsLetters = 4;
    private const byte JoinsDigits = 8;

    private static readonly byte[] Kinds = MakeKinds();

    public override int Tokenize(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer)
    {
        while (true)
        {
            while (offset < text.Length && (Kinds[text[offset]] & 3) == Between)
                offset++;
            if (offset >= text.Length)
                return -1;
            if (buffer.IsFull)
                return offset;

            var end = Kinds[text[offset]] == Other ? 0 : AddWord(text, offset, buffer);
            if (end > 0)
            {
                offset = end;
                continue;
            }

            end = Match(text, offset, out var first);
            if (end > 0)
                AddTerm(text, offset, end, buffer);
            offset = end > 0 ? end : Skip(text, offset, first);
        }
    }

    /// <summary>
    /// The end of the longest token that begins at an offset, 0 if none does; and the length of the first code point.
    /// </summary>
    private static int Match(ReadOnlySpan<byte> text, int offset, out int first)
    {
        var transitions = UnicodeTables.Transitions;
        int end = 0,
            units = 0,
            state = 1;
        first = 0;
        while (offset < text.Length)
        {
            var codePoint = Decode(text, offset, out var length);
            if (first == 0)
                first = length;
            units += Units(codePoint);
            if (units > MaxTokenUnits)
                break;
            state = transitions[(state << UnicodeTables.ClassBits) | UnicodeTables.Class(codePoint)];
            if (state == 0)
                break;
            offset += length;
            if (state >= UnicodeTables.FirstAccepting)
                end = offset;
        }

        return end;
    }

    /// <summary>
    /// Where to continue after no token began at an offset: behind the first code point. In a row of connectors or
    /// joiners it is behind all those that cannot begin a token either, so that a long row is read only once.
    /// </summary>
    private static int Skip(ReadOnlySpan<byte> text, int offset, int first)
    {
        var transitions = UnicodeTables.Transitions;
        var state = transitions[(1 << UnicodeTables.ClassBits) | UnicodeTables.Class(Decode(text, offset, out _))];
        if (state == 0)
            return offset + first;

        // The row: code points that keep the state, and that cannot begin a token.
        int end = offset,
            units = 0,
            next = 0;
        while (end < text.Length)
        {
            var codePoint = Decode(text, end, out var length);
            var begins = transitions[(1 << UnicodeTables.ClassBits) | UnicodeTables.Class(codePoint)];
            next = transitions[(state << UnicodeTables.ClassBits) | UnicodeTables.Class(codePoint)];
            if (next != state || (begins != 0 && begins != state))
                break;
            end += length;
            units += Units(codePoint);
        }

        if (end == text.Length || next == 0)
            return Math.Max(end, offset + first);

        // What follows can end a token that begins so near that both are within the limit.
        if (units < MaxTokenUnits)
            return offset + first;
        while (units >= MaxTokenUnits)
        {
            units -= Units(Decode(text, offset, out first));
            offset += first;
        }

        return offset;
    }

    /// <summary>
    /// Adds the word of ASCII letters and digits that begins at an offset and returns its end. Returns 0 and adds
    /// nothing if the automaton must decide: the word is long, or touches other characters.
    /// </summary>
    private static int AddWord(ReadOnlySpan<byte> text, int start, TokenBuffer buffer)
    {
        var term = buffer.Reserve(MaxTokenUnits + Slack)[..(MaxTokenUnits + Slack)];
        var end = start;
        while (true)
        {
            end = LowerRun(text, end, term[(end - start)..]);
            if (end - start > MaxFastBytes)
                return 0;
            if (end == text.Length)
                break;
            int joiner = Kinds[text[end]];
            if (joiner == Other)
                return 0;
            if (joiner == Between || end + 1 == text.Length)
                break;

            // A joiner belongs to the word if letters, or digits, are on both sides of it.
            int next = Kinds[text[end + 1]];
            if (next == Other && text[end + 1] >= 0x80)
                return 0;
            var last = Kinds[text[end - 1]];
            if (next != last || (joiner & (last == Letter ? JoinsLetters : JoinsDigits)) == 0)
                break;
            term[end - start] = text[end];
            end++;
        }

        buffer.Add(end - start, start, end);
        return end;
    }

    /// <summary>
    /// Copies letters and digits from an offset on, lower-cased. Returns the offset of the first byte that is neither,
    /// or that does not fit (such a word is too long for this path).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int LowerRun(ReadOnlySpan<byte> text, int offset, Span<byte> term)
    {
        var written = 0;
        while (offset + Vector128<byte>.Count <= text.Length && written + Vector128<byte>.Count <= term.Length)
        {
            // Both loads and stores are of 16 bytes that lie within the spans, by the condition above.
            var bytes = Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(text), (nuint)offset);
            var space = Vector128.Create((byte)0x20);
            var letters = Vector128.LessThanOrEqual(
                (bytes | space) - Vector128.Create((byte)'a'),
                Vector128.Create((byte)25)
            );
            var digits = Vector128.LessThanOrEqual(bytes - Vector128.Create((byte)'0'), Vector128.Create((byte)9));
            (bytes | (letters & space)).StoreUnsafe(ref MemoryMarshal.GetReference(term), (nuint)written);
            var outside = ~(letters | digits).ExtractMostSignificantBits() & 0xFFFF;
            if (outside != 0)
                return offset + BitOperations.TrailingZeroCount(outside);
            offset += Vector128<byte>.Count;
            written += Vector128<byte>.Count;
        }

        for (; offset < text.Length && written < term.Length && Kinds[text[offset]] is Letter or Digit; offset++)
            term[written++] = (byte)(text[offset] | (Kinds[text[offset]] == Letter ? 0x20 : 0));
        return offset;
    }

    private static byte[] MakeKinds()
    {
        var kinds = new byte[256];
        kinds.AsSpan(0x80).Fill(Other);
        for (var c = 'a'; c <= 'z'; c++)
            kinds[c] = kinds[c - 0x20] = Letter;
        for (var c = '0'; c <= '9'; c++)
            kinds[c] = Digit;
        kinds['_'] = kinds['#'] = kinds['*'] = Other;
        kinds[':'] = JoinsLetters;
        kinds[','] = kinds[';'] = JoinsDigits;
        kinds['.'] = kinds['\''] = JoinsLetters | JoinsDigits;
        return kinds;
    }
}
