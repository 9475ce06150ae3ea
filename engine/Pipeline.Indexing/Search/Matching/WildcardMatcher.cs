using System.Text;

namespace Pipeline.Indexing;

/// <summary>
/// Terms that match a pattern of <c>*</c>, <c>?</c> and literal characters. The matching goes back only to the last
/// <c>*</c>, so it takes at most time in proportion to pattern times term.
/// </summary>
internal sealed class WildcardMatcher : TermMatcher
{
    private const int AnyRun = -1,
        AnyOne = -2;

    private readonly int[] _pattern; // a byte, AnyRun, or AnyOne (a whole character)
    private readonly byte[] _prefix;

    public WildcardMatcher(string pattern)
    {
        var parts = new List<int>(pattern.Length);
        Span<byte> bytes = stackalloc byte[4];
        var escaped = false;
        foreach (var rune in pattern.EnumerateRunes())
        {
            if (!escaped && rune.Value == '\\')
            {
                escaped = true;
                continue;
            }

            if (!escaped && rune.Value == '*')
            {
                if (parts.Count == 0 || parts[^1] != AnyRun)
                    parts.Add(AnyRun);
            }
            else if (!escaped && rune.Value == '?')
            {
                parts.Add(AnyOne);
            }
            else
            {
                var length = rune.EncodeToUtf8(bytes);
                for (var i = 0; i < length; i++)
                    parts.Add(bytes[i]);
            }

            escaped = false;
        }

        if (escaped)
            parts.Add('\\');
        _pattern = [.. parts];
        _prefix = [.. parts.TakeWhile(p => p >= 0).Select(p => (byte)p)];
    }

    public override ReadOnlySpan<byte> Prefix => _prefix;

    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        var (p, t, star, mark) = (0, 0, -1, 0);
        while (t < term.Length)
        {
            if (p < _pattern.Length && _pattern[p] == AnyRun)
            {
                (star, mark) = (p++, t);
            }
            else if (p < _pattern.Length && _pattern[p] == AnyOne)
            {
                t += CharacterLength(term[t..]);
                p++;
            }
            else if (p < _pattern.Length && _pattern[p] == term[t])
            {
                p++;
                t++;
            }
            else if (star >= 0)
            {
                mark += CharacterLength(term[mark..]);
                (p, t) = (star + 1, mark);
            }
            else
            {
                return false;
            }
        }

        while (p < _pattern.Length && _pattern[p] == AnyRun)
            p++;
        return p == _pattern.Length;
    }

    private static int CharacterLength(ReadOnlySpan<byte> bytes)
    {
        Rune.DecodeFromUtf8(bytes, out _, out var consumed);
        return consumed;
    }
}
